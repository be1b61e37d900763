"""The dashboard's server: what Streamlit serves, behind rules that the browser enforces.

Start it with ``hmpb app``. It adds to Streamlit's own server:

- no answer to what another site or another name asks, WebSockets included (``HMPB_ORIGINS`` names a proxy's);
- no look-up of this machine's address at some other machine;
- a content security policy: pages may load from this server alone, so no data can leave through them;
- a page opened by its address finds the server at once, and the first page answers to its own name;
- no answer at the two endpoints that tell strangers about sessions and code;
- what was typed just before another page is clicked reaches its page;
- uploads kept in memory while they arrive (Starlette would spool what is over 1 MB to a file);
- a cookie by which a browser finds its table, codebook and results again after a reload;
- closed sessions forgotten on time, with the uploads they hold;
- a log line that names an error's kind and place, never its text.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from pages.server.server import (
    Policy,
    answer_to_own_names,
    keep_house,
    keep_what_was_typed,
    look_no_address_up,
    raise_spool_limit,
    run_every_page_through_the_entry_script,
    show_script_error,
    silence_error_texts,
)
from pages.server.visitor import Visitors

look_no_address_up()
answer_to_own_names()
raise_spool_limit()
silence_error_texts()
run_every_page_through_the_entry_script()
keep_what_was_typed()

app = st.App(
    Path(__file__).parent / "app.py",
    middleware=[Middleware(Policy), Middleware(Visitors)],
    lifespan=keep_house,
    on_script_error=show_script_error,
)
