"""An experiment's results as Parquet, HTML, PNG and a section of a page."""

from __future__ import annotations

import html
import importlib.util
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from hmpb_core.experiments.base import Chart, Experiment, text_of

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
WIDTH, HEIGHT = 760, 430
HEADING = """# The papers, measured anew

What each figure of the papers reports, beside what `hmpb bench` measured, in the published accounting and in
the sound one. The command writes this page (`--page`); where a section says *measured so far*, its figures
are of the cells that were run, and running the command again takes them up.
"""
_COLOURS = ("#1f6f78", "#c8553d", "#8a6fb0", "#d8a23a", "#4f5d64")
_MARKS = ("circle", "square", "diamond", "triangle-up", "x")


def write_results(experiment: Experiment, frame: pd.DataFrame, out: Path, *, cells: int) -> list[Path]:
    """Write ``NAME.parquet``, ``NAME.html``, ``NAME.png`` and ``NAME.md``.

    Args:
        experiment: The experiment.
        frame: What is measured of it.
        out: The folder.
        cells: How many cells it has in all.

    Returns:
        The files written; without the PNG where no Chromium is installed to draw it.
    """
    written = [out / f"{experiment.name}.parquet", out / f"{experiment.name}.md"]
    frame.to_parquet(written[0], index=False)
    written[1].write_text(section(experiment, frame, cells=cells), encoding="utf-8")
    charts = experiment.charts(frame)
    if charts:
        page = out / f"{experiment.name}.html"
        page.write_text(_page(experiment, charts, _beside(out)), encoding="utf-8")
        written.append(page)
        picture = out / f"{experiment.name}.png"
        if _photograph(page, picture, len(charts)):
            written.append(picture)
    return written


def html_of(experiment: Experiment, frame: pd.DataFrame) -> str:
    """The charts as one HTML page that needs nothing beside it."""
    script = _plotly()
    inside = f"<script>{script.read_text(encoding='utf-8')}</script>" if script else None
    return _page(experiment, experiment.charts(frame), inside)


def png_of(experiment: Experiment, frame: pd.DataFrame) -> bytes | None:
    """The charts as a picture; None where no Chromium is installed to draw it, or there is no chart."""
    charts = experiment.charts(frame)
    if not charts:
        return None
    with tempfile.TemporaryDirectory() as folder:
        page, picture = Path(folder) / "charts.html", Path(folder) / "charts.png"
        page.write_text(_page(experiment, charts, _beside(Path(folder))), encoding="utf-8")
        return picture.read_bytes() if _photograph(page, picture, len(charts)) else None


def can_draw_pictures() -> bool:
    """Whether this machine has a Chromium that draws a PNG."""
    return _browser() is not None


def section(experiment: Experiment, frame: pd.DataFrame, *, cells: int) -> str:
    """What the paper reports beside what was measured, in Markdown."""
    measured = f" Seeds: {frame['seed'].nunique()}." if "seed" in frame else ""
    sizes = sorted(frame["most_rows"].dropna().unique()) if "most_rows" in frame else []
    rows = " --rows " + " ".join(str(int(n)) for n in sizes) if sizes else ""
    if rows:
        measured += " On a sample of each table: levels do not compare with the paper's."
    measured += "" if len(frame) == cells else f" Measured so far: {len(frame)} of {cells} cells."
    command = f"hmpb bench {experiment.name}{'' if experiment.of_machine else ' --data DIR'} --out DIR{rows}"
    closing = "What they say" if experiment.of_machine else "Where and why they differ"
    return "\n\n".join(
        [
            f"## {experiment.name}: {experiment.title}",
            f"{experiment.place}. `{command}`.{measured}",
            *([f"**The paper.** {text_of(experiment.reported)}"] if experiment.reported else []),
            "**Measured.**",
            _markdown(experiment.table(frame)),
            f"**{closing}.** {text_of(experiment.differs(frame))}",
        ]
    )


def put_section(page: Path, name: str, text: str) -> None:
    """Put an experiment's section into a page, in place of the one it has there."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    block = f"{begin}\n{text}\n{end}"
    known = page.read_text(encoding="utf-8") if page.exists() else HEADING
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if pattern.search(known):
        known = pattern.sub(lambda _: block, known)
    else:
        known = known.rstrip("\n") + f"\n\n{block}\n"
    page.write_text(known, encoding="utf-8")


def _markdown(table: pd.DataFrame) -> str:
    lines = ["| " + " | ".join(str(name) for name in table.columns) + " |", "|" + " --- |" * table.shape[1]]
    lines += [
        "| " + " | ".join("" if pd.isna(value) else str(value) for value in row) + " |"
        for row in table.itertuples(index=False)
    ]
    return "\n".join(lines)


def _plotly() -> Path | None:
    """Plotly's script; None where it is not installed."""
    found = importlib.util.find_spec("plotly")
    if found is None or not found.submodule_search_locations:
        return None
    script = Path(next(iter(found.submodule_search_locations))) / "package_data" / "plotly.min.js"
    return script if script.exists() else None


def _beside(out: Path) -> str | None:
    """Put plotly's script beside the pages, and give what loads it; None where it is not installed."""
    script = _plotly()
    if script is None:
        return None
    if not (out / script.name).exists():
        shutil.copyfile(script, out / script.name)
    return f'<script src="{script.name}"></script>'


def _page(experiment: Experiment, charts: list[Chart], script: str | None) -> str:
    title = html.escape(f"{experiment.name}: {experiment.title}")
    head = f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    head += "<style>body{font-family:sans-serif;color:#12181c;margin:0 1rem}</style>"
    head += script or ""
    body = f"</head><body><h1>{title}</h1><p>{html.escape(experiment.place)}</p>"
    if script is None:
        body += "<p>The charts need the package plotly; the figures are in the tables beside this page.</p>"
    for place, chart in enumerate(charts):
        figure = json.dumps(_figure(chart)).replace("</", "<\\/")
        body += f'<div id="chart{place}"></div>'
        body += f'<script>if(window.Plotly)Plotly.newPlot("chart{place}",{figure})</script>' if script else ""
    return head + body + "</body></html>\n"


def _figure(chart: Chart) -> dict[str, Any]:
    """A chart in plotly's JSON."""
    axis = {"gridcolor": "#e3e7e9", "zeroline": False}
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": name,
                "x": [x for x, _ in points],
                "y": [y for _, y in points],
                "line": {"color": _COLOURS[i % len(_COLOURS)]},
                "marker": {"symbol": _MARKS[i % len(_MARKS)], "size": 8},
            }
            for i, (name, points) in enumerate(chart.lines.items())
        ],
        "layout": {
            "title": {"text": html.escape(str(chart.title)), "font": {"size": 15}},
            "xaxis": {"title": {"text": html.escape(str(chart.x))}, **axis},
            "yaxis": {"title": {"text": html.escape(str(chart.y))}, "rangemode": "tozero", **axis},
            "width": WIDTH,
            "height": HEIGHT,
            "plot_bgcolor": "white",
            "legend": {"orientation": "h", "y": -0.25},
        },
    }


def _photograph(page: Path, picture: Path, n_charts: int) -> bool:
    """Draw the page as a PNG with the Chromium that is installed; False where there is none."""
    browser = _browser()
    if browser is None:
        return False
    command = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [f"--window-size={WIDTH + 60},{HEIGHT * n_charts + 160}", "--virtual-time-budget=10000"]
    command += [f"--screenshot={picture.resolve()}", page.resolve().as_uri()]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=120)  # noqa: S603 - a fixed command
    except (OSError, subprocess.SubprocessError):
        return False
    return picture.exists()


def _browser() -> str | None:
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)
