"""What the pages are made of, and the conventions for whoever adds one.

**A page** is one script in ``pages/``, named in ``shell.PAGES``. It reads the state, calls the core, and
draws; it holds no class, no formula and no literal text. It starts with ``header("<page>", zones=[...])``
and ends with ``next_step("<page>", "<next page>")``; where a step is missing it calls
``layout.need_table()``, ``need_codebook()``, ``need_plan()`` or ``need_result()``, which explain and stop.

**Text** is in ``assets/text/<language>/<page>.toml``, one file a page, and reaches the screen through
``t("page.key", name=value)``. Values are escaped, so that a column's name cannot be markup. Where the
target is no Markdown (a table's cell, a figure, a file) use ``plain``. Both languages have the same keys
and placeholders; a test holds them to it.

**State** is ``state()``: one ``AppState`` a session. A page never puts anything else into
``st.session_state`` but the values of its widgets. Widgets are drawn through ``bound(...)``, which ties a
keyed widget to a field, so that it keeps its value when its page is left. Fields of your own: add a
small dataclass of theirs to ``AppState`` and say in ``state.py`` which event clears it.
Nothing derived from an upload goes into ``st.cache_data`` or ``st.cache_resource``: both are shared by all
sessions.

**Figures**: every plotly figure is made in a ``charts*.py`` module from plain values and shown with
``show_chart(figure, table, caption=...)``, which puts its table beside it. Colour is never the only sign.

**Long work** goes to ``jobs.start(work)``; ``work(progress)`` calls the core in a thread, never ``st.*``.
``jobs.panel(job)`` shows progress, time left and cancel.

**Errors**: wrap what can fail in ``with guard():``. An ``InputError`` or a ``PrivacyError`` is shown by its
one sentence, in the reader's language (``sentences.py``); of anything else only an identifier is shown and
its kind and place are logged.

**Zones**: declared (public knowledge), DP (paid for), steward-only (touched raw rows). A page's header
names those it shows; ``zone_badge`` marks a single figure.
"""
