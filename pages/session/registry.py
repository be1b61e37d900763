"""What a browser had, for when it comes back: a reload or a lost connection starts a new Streamlit session.

A session's state is kept in the server's memory under a token that its browser alone holds: a cookie that
no script can read and no other site can send (``pages/server/visitor.py``). A window gets back the state
that was used last and that no open window uses; so two windows of one browser stay apart, as they are
without this. A state without a window is dropped half an hour after its last run, on logging out, where the
person who logged in is another, and, the oldest first, where there are too many. Nothing is ever written
to a disk.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st

from pages.session.login import who

COOKIE = "hmpb_visitor"
KEEP_VARIABLE = "HMPB_KEEP_MINUTES"
KEEP_MINUTES = 30.0
MOST_WITHOUT_WINDOW = 16
"""States that are kept while no window shows them, for all visitors together."""


@dataclass(slots=True, kw_only=True)
class Slot:
    """One kept state.

    Attributes:
        state: The state itself.
        token: The browser it belongs to.
        who: The person who had logged in; None where nobody has to.
        session: The Streamlit session that uses it, or did.
        used: When it was last used, in seconds of a clock that only goes forwards.
    """

    state: object = field(repr=False)
    token: str = field(repr=False)
    who: str | None = field(repr=False)
    session: str
    used: float


class Registry:
    """The states of all browsers.

    Args:
        connected: Whether a Streamlit session has a window.
        keep_seconds: How long a state waits for a window.
        clock: Gives seconds.
    """

    def __init__(
        self,
        connected: Callable[[str], bool],
        keep_seconds: float = 60 * KEEP_MINUTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connected, self._keep_seconds, self._clock = connected, keep_seconds, clock
        self._slots: list[Slot] = []
        self._lock = threading.Lock()

    def keep(self, state: object, token: str, who: str | None, session: str) -> None:
        """Keep a session's new state in place of the one it had."""
        with self._lock:
            self._slots = [slot for slot in self._slots if slot.session != session]
            self._slots.append(Slot(state=state, token=token, who=who, session=session, used=self._clock()))

    def take(self, token: str, who: str | None, session: str) -> object | None:
        """Give a session's state: its own, or one of the same browser and person that no window uses."""
        self.expire()
        with self._lock:
            mine = [slot for slot in self._slots if slot.token == token and slot.who == who]
            own = [slot for slot in mine if slot.session == session]
            free = [slot for slot in mine if not self._connected(slot.session)]
            slot = max(own or free, key=lambda slot: slot.used, default=None)
            if slot is None:
                return None
            slot.session, slot.used = session, self._clock()
            return slot.state

    def holds(self, state: object, session: str) -> bool | None:
        """Whether a state is this session's still; None where it is not kept at all."""
        with self._lock:
            for slot in self._slots:
                if slot.state is state:
                    if slot.session == session:
                        slot.used = self._clock()
                        return True
                    return False
        return None

    def forget(self, token: str) -> None:
        """Drop all that a browser had."""
        with self._lock:
            self._slots = [slot for slot in self._slots if slot.token != token]

    def expire(self) -> None:
        """Drop what nobody came back for, and the oldest of what is too much."""
        with self._lock:
            now = self._clock()
            for slot in self._slots:
                if self._connected(slot.session):
                    slot.used = now
            kept = [slot for slot in self._slots if now - slot.used < self._keep_seconds]
            alone = sorted(
                (slot for slot in kept if not self._connected(slot.session)), key=lambda slot: -slot.used
            )
            gone = {id(slot) for slot in alone[MOST_WITHOUT_WINDOW:]}
            self._slots = [slot for slot in kept if id(slot) not in gone]


def _has_window(session: str) -> bool:
    from streamlit.runtime import exists, get_instance

    return exists() and get_instance().is_active_session(session)


def keep_seconds() -> float:
    """How long a state is kept without a window: half an hour, or what the operator says in minutes."""
    try:
        minutes = float(os.environ.get(KEEP_VARIABLE, KEEP_MINUTES))
    except ValueError:
        minutes = KEEP_MINUTES
    return 60 * max(0.0, minutes)


_registry = Registry(_has_window, keep_seconds())


def cookie_name() -> str:
    """The cookie's name: cookies know no ports, and two servers of one computer must not mix them up."""
    return f"{COOKIE}_{st.get_option('server.port')}"


def claim(key: str) -> object | None:
    """Give this session's state, put it where the session finds it, or take it from before a reload."""
    found: object | None = st.session_state.get(key)
    token, session = _visitor()
    if token is None:
        return found
    if found is not None:
        if _registry.holds(found, session) is not False:
            return found
        del st.session_state[key]  # another window of this browser has gone on with it
    found = _registry.take(token, who(), session)
    if found is not None:
        st.session_state[key] = found
    return found


def keep(state: object) -> None:
    """Keep this session's new state for its browser."""
    token, session = _visitor()
    if token is not None:
        _registry.keep(state, token, who(), session)


def leave() -> None:
    """Forget what this browser had: somebody logs out."""
    token, _ = _visitor()
    if token is not None:
        _registry.forget(token)


def expire() -> None:
    """Drop what is kept in vain; the server calls it every few seconds."""
    _registry.expire()


def _visitor() -> tuple[str | None, str]:
    """The browser's token and the Streamlit session; no token where the server gave none."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx()
    if context is None:
        return None, ""
    token = st.context.cookies.get(cookie_name())
    return token, context.session_id
