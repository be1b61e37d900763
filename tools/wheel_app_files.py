"""Put the app's files into wheels as ``hmpb_core/_app/``.

In a checkout the Streamlit app lies beside the core (``app.py``, ``pages/``, ``assets/``), and an editable
install finds it there. A wheel has no such place, so this build hook copies those files below the package.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Named one by one: a whole `.streamlit/` could hold somebody's secrets.toml.
APP_FILES = ("app.py", "serve.py", "pages", "assets", ".streamlit/config.toml")


class AppFilesHook(BuildHookInterface):
    """Adds the app's files to a standard wheel, and nothing to an editable one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Extend hatchling's list of files to include."""
        if version == "editable":
            return
        for name in APP_FILES:
            source = Path(self.root, name)
            if source.exists():
                build_data["force_include"][str(source)] = f"hmpb_core/_app/{name}"
