"""The commands of ``hmpb``: one module a command, each with ``add(commands)``."""

COMMANDS = {
    "codebook": "Draft a codebook; every guess in it is marked.",
    "bill": "Say what a plan really costs, without touching data.",
    "synthesize": "Make a differentially private synthetic table (without a ledger).",
    "evaluate": "Compare a synthetic table with the real one (exact: keep the figures inside).",
    "report": "Write the utility report of a synthetic table (exact: keep it inside).",
    "register": "Give a table its unit of protection and its lifetime cap, once.",
    "plan": "Write every choice of a release to a file.",
    "rehearse": "Run a plan on a stand-in, free of charge.",
    "survey": "Buy bounds and categories for fields that nobody declared.",
    "release": "Charge a plan, run it once and write the bundle.",
    "ledger": "Show what was spent and check the record.",
    "answers": "Write the form for what only you know: curator, use, region, purpose, retention, hazards.",
    "accuracy": "Say what a bundle's rows are good for; no private table is needed.",
    "fit": "Buy a publishable figure of how well released rows fit the table.",
    "charge": "Charge a run with other owners to one owner's ledger, beforehand.",
    "resample": "Draw more rows from a bundle's model, free of charge.",
    "anonymize": "Make a p-sensitive k-anonymous table by micro-aggregation (not differentially private).",
    "audit": "Attack every mechanism and method on invented tables; exits 1 if one breaks its claim.",
    "attack": (
        "Attack runs of a plan on the private table (keep the figures inside); exits 1 above a ceiling."
    ),
    "bench": (
        "Measure a table or figure of the papers anew, or this machine's speed; a stopped run is taken up."
    ),
    "app": "Open the dashboard on this machine, the demo table loaded.",
}
"""Each command, a module of its name here, and its line in the help: the help loads none of them."""
