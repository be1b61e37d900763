from pages.components.layout import Zone, header, next_step

header("data", zones=[Zone.DECLARED, Zone.STEWARD])
next_step("data", "data")
