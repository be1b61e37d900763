"""The app under test, without a browser."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))


@pytest.fixture(autouse=True)
def pages_through_the_entry_script(monkeypatch):
    """What serve.py does for the server: no page runs but through app.py."""
    from streamlit.runtime.pages_manager import PagesManager

    made = PagesManager.__init__

    def make(self, *args, **options):
        made(self, *args, **options)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", make)


@pytest.fixture(autouse=True)
def no_scan_for_components(monkeypatch):
    """Each AppTest reads the metadata of every installed package, half a second; the app uses none."""
    monkeypatch.setattr("streamlit.components.v2.manifest_scanner.scan_component_manifests", list)


@pytest.fixture(scope="session")
def looked_at():
    """What the page Data works out when a session first looks at the demo."""
    session = start().run().session_state["hmpb"]
    return session.data.checked, session.views


@pytest.fixture
def app(looked_at):
    """The app on its first page, the demo loaded, what it has been looked at for still known."""
    from pages.session.demo import load_demo
    from pages.session.state import AppState

    session = AppState()
    load_demo(session, plan=True)
    checked, views = looked_at
    session.data.checked |= checked
    session.views |= views
    app = start()
    app.session_state["hmpb"] = session
    return app.run()


def start():
    """The app before its first run."""
    from streamlit.testing.v1 import AppTest

    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)


@pytest.fixture
def focused():
    """Tell to which of these widgets a page gives the focus, if the one that had it is gone."""

    def gets_it(app, *keys):
        scripts = [element.proto.body for element in app.get("html") if "focus(" in element.proto.body]
        return [key for key in keys if any(f"st-key-{key} " in script for script in scripts)] == [*keys]

    return gets_it


@pytest.fixture
def unfold():
    """Open every box of a page; what lies in a closed one is not made."""

    def unfolded(app):
        for name in (box.proto.id for box in app.expander):
            if name:  # a box without one is made open or closed
                app.session_state[name.split("-", 2)[2]] = True
        return app.run()

    return unfolded
