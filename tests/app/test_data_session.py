"""What a browser had is there after a reload, for it and for nobody else, and not for ever."""

import asyncio
import re

import pytest
from starlette.responses import PlainTextResponse

from pages.server import visitor
from pages.session.registry import KEEP_MINUTES, MOST_WITHOUT_WINDOW, Registry, cookie_name, keep_seconds
from tests.app.test_server import ThreadPoolExecutor

KEEP_SECONDS = 60 * KEEP_MINUTES


class World:
    def __init__(self):
        self.windows, self.now = set(), 0.0
        self.registry = Registry(self.windows.__contains__, clock=lambda: self.now)

    def open(self, session, token="t", who=None, state=None):
        """A window opens: it gets what is kept, or brings a state of its own."""
        self.windows.add(session)
        found = self.registry.take(token, who, session)
        if found is None:
            found = state or object()
            self.registry.keep(found, token, who, session)
        return found


@pytest.fixture
def world():
    return World()


def test_a_reload_gets_its_state_back(world):
    state = world.open("s1")
    world.windows.discard("s1")
    assert world.open("s2") is state


def test_two_windows_of_one_browser_stay_apart_and_each_gets_its_own_back(world):
    first, second = world.open("s1"), world.open("s2")
    assert first is not second
    world.windows.discard("s1")
    assert world.open("s3") is first


def test_another_browser_or_person_gets_nothing(world):
    state = world.open("s1", token="t", who="a@x")
    world.windows.clear()
    assert world.open("s2", token="other", who="a@x") is not state
    assert world.open("s3", token="t", who="b@x") is not state
    assert world.open("s4", token="t", who=None) is not state
    assert world.open("s5", token="t", who="a@x") is state


def test_who_logs_out_leaves_nothing(world):
    state = world.open("s1")
    world.windows.clear()
    world.registry.forget("t")
    assert world.open("s2") is not state


def test_a_state_ends_half_an_hour_after_its_window(world):
    state = world.open("s1")
    world.now = 5 * KEEP_SECONDS
    world.registry.expire()  # its window is still open
    world.windows.clear()
    world.now += KEEP_SECONDS - 1
    assert world.open("s2") is state
    world.windows.clear()
    world.now += KEEP_SECONDS + 1
    assert world.open("s3") is not state


@pytest.mark.parametrize(("said", "seconds"), [(None, 1800), ("5", 300), ("0", 0), ("-1", 0), ("soon", 1800)])
def test_an_operator_says_how_long(monkeypatch, said, seconds):
    monkeypatch.delenv("HMPB_KEEP_MINUTES", raising=False)
    if said is not None:
        monkeypatch.setenv("HMPB_KEEP_MINUTES", said)
    assert keep_seconds() == seconds


def test_only_so_many_states_wait_for_their_windows(world):
    states = []
    for i in range(MOST_WITHOUT_WINDOW + 2):
        world.now += 1
        states.append(world.open(f"s{i}", token=f"t{i}"))
        world.windows.clear()
    world.registry.expire()
    back = [world.registry.take(f"t{i}", None, f"again{i}") for i in range(len(states))]
    assert back == [None, None, *states[2:]]


def test_a_window_whose_state_went_on_elsewhere_knows_it(world):
    state = world.open("s1")
    world.windows.discard("s1")
    world.open("s2")
    assert world.registry.holds(state, "s2") is True
    assert world.registry.holds(state, "s1") is False
    assert world.registry.holds(object(), "s1") is None


# The cookie


def cookies(path="/", cookie=None, scheme="http", headers=()):
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request"}

    given = [(b"cookie", f"{cookie_name()}={cookie}".encode())] if cookie else []
    scope = {"type": "http", "path": path, "method": "GET", "scheme": scheme, "headers": [*given, *headers]}
    with ThreadPoolExecutor(1) as apart:
        app = visitor.Visitors(PlainTextResponse("hello"))
        apart.submit(asyncio.run, app(scope, receive, send)).result()
    return [value.decode() for key, value in sent[0]["headers"] if key == b"set-cookie"]


def test_a_page_gives_each_browser_its_own_token():
    (first,), (second,) = cookies(), cookies("/hmpb/plan")
    assert re.fullmatch(
        rf"{cookie_name()}=[0-9a-f]{{64}}\.[0-9a-f]{{64}}; Path=/; HttpOnly; SameSite=Strict", first
    )
    assert first.split(";")[0] != second.split(";")[0]


def test_a_known_token_stays_and_a_planted_one_is_replaced():
    ours = visitor.new_token()
    assert cookies(cookie=ours) == []
    assert len(cookies(cookie="0" * 64)) == 1
    assert len(cookies(cookie=ours[:-1] + ("0" if ours[-1] != "0" else "1"))) == 1
    assert len(cookies(cookie=".")) == 1


def test_nothing_but_pages_gives_a_token():
    for path in ("/static/js/index.js", "/_stcore/health", "/_stcore/stream"):
        assert cookies(path) == []


def test_behind_tls_it_goes_over_tls_alone():
    assert cookies(scheme="https")[0].endswith("; Secure")
    assert cookies(headers=[(b"x-forwarded-proto", b"https")])[0].endswith("; Secure")


def test_logging_out_takes_it_away():
    (gone,) = cookies("/auth/logout", cookie=visitor.new_token())
    assert gone.startswith(f"{cookie_name()}=; ")
    assert "Max-Age=0" in gone
