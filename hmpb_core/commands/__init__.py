"""The commands of ``hmpb``: one module a command, each with ``add(commands)``."""
