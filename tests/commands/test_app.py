"""``hmpb app``: where it listens, and what it says of that."""

from __future__ import annotations

import socket

import pytest

from hmpb_core.cli import main
from hmpb_core.commands import app

REQUIRE_FREE = app.require_free


class Server:
    """Takes note of how Streamlit would be started."""

    started: list[str]

    def __init__(self, command: list[str], **_: object) -> None:
        Server.started = command

    def wait(self) -> int:
        return 0


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app.subprocess, "Popen", Server)
    monkeypatch.setattr(app.signal, "signal", lambda *_: None)
    monkeypatch.setattr(app, "require_free", lambda _: None)
    for name in ("STREAMLIT_SERVER_PORT", "STREAMLIT_SERVER_BASE_URL_PATH"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("environment", "typed", "port"),
    [(None, [], 8501), ("", [], 8501), ("8600", [], 8600), ("8600", ["--port", "8700"], 8700)],
)
def test_the_typed_port_wins_then_the_environment_then_8501(
    monkeypatch: pytest.MonkeyPatch, capsys, environment: str | None, typed: list[str], port: int
) -> None:
    if environment is not None:
        monkeypatch.setenv("STREAMLIT_SERVER_PORT", environment)
    assert main(["app", *typed]) == 0
    assert Server.started[-2:] == ["--server.port", str(port)]
    assert f"http://127.0.0.1:{port} " in capsys.readouterr().err


def test_the_address_that_is_said_has_the_path_prefix(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setenv("STREAMLIT_SERVER_BASE_URL_PATH", "/hmpb/")
    assert main(["app"]) == 0
    assert "http://127.0.0.1:8501/hmpb/ " in capsys.readouterr().err


@pytest.mark.parametrize("port", ["0", "65536", "http", "-1", "9" * 200])
def test_a_port_of_the_environment_that_is_none_is_refused_by_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys, port: str
) -> None:
    monkeypatch.setenv("STREAMLIT_SERVER_PORT", port)
    assert main(["app"]) == 2
    said = capsys.readouterr().err
    assert f"STREAMLIT_SERVER_PORT is {port[:40]};" in said
    assert "65535" in said


def test_a_port_on_which_another_program_listens_is_refused_before_an_address_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setattr(app, "require_free", REQUIRE_FREE)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["app", "--port", str(port)]) == 2
    said = capsys.readouterr().err
    assert f"Port {port} cannot be used" in said
    assert "Dashboard" not in said
    assert main(["app", "--port", str(port)]) == 0
