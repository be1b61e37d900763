"""What the pages are made of, and the conventions for whoever adds one.

**A page** is a folder in ``pages/``, named in ``shared/page_list.py``: ``page.py`` and what only that page
shows. ``page.py`` is one ``def page(session)`` with small functions that get what they need, and one call at
its end; it holds no class, no formula and no literal text. It starts with ``header("<page>", zones=[...])``
and ends with ``next_step("<page>", "<next page>")``; where a step is missing it calls
``layout.need_table(session)``, ``need_codebook``, ``need_plan`` or ``need_result``, which explain and stop.

**Layers**: pages import ``server``, ``shared``, ``session`` and ``words``, in this order downwards, and never
each other; a contract in pyproject.toml holds it. Streamlit is imported here alone.

**Text** is in ``assets/text/<language>/<page>.toml``, one file a page, and reaches the screen through
``t("page.key", name=value)``. Values are escaped, so that a column's name cannot be markup. Where the
target is no Markdown (a table's cell, a figure, a file) use ``plain``. Both languages have the same keys
and placeholders; a test holds them to it.

**State** is ``state()``: one ``AppState`` a session. A page never puts anything else into
``st.session_state`` but the values of its widgets. Widgets are drawn through ``bound(...)``: the field holds
the value and the widget shows it. A new value is in its field before the script runs again, so that the
sidebar, which is drawn first, shows it too; what a choice decides of others is settled there as well
(``choose``). What can be derived (the recommended shares, the plan) is derived where it is read. Fields of
your own: add a small dataclass of theirs to ``AppState`` and say in ``state.py`` which event clears it.
Nothing derived from an upload goes into ``st.cache_data`` or ``st.cache_resource``: both are shared by all
sessions.

**Figures**: every plotly figure is made in a ``figures*.py`` module from plain values and shown with
``show_chart(figure, table, caption=...)``, which puts its table beside it. Colour is never the only sign.

**Long work** goes to ``jobs.start(work)``; ``work(progress)`` calls the core in a thread, never ``st.*``.
``job_panel(job, on_done)`` shows progress, time left and cancel.

**Errors**: wrap what can fail in ``with guard():``. An ``InputError`` or a ``PrivacyError`` is shown by its
one sentence, in the reader's language (``words/errors.py``); of anything else only an identifier is shown and
its kind and place are logged.

**Zones**: declared (public knowledge), DP (paid for), steward-only (touched raw rows). A page's header
names those it shows; ``zone_badge`` marks a single figure.
"""
