from pages.components.layout import Zone, header

header("plan", zones=[Zone.DECLARED])
