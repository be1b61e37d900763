"""The one way out of the app: a download that refuses what only the steward may see."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from hmpb_core.publishing.zones import Labelled, Zone, public
from pages.session.state import Result
from pages.words.catalogue import t

WayOut = Callable[[Labelled[str | bytes], str], str | bytes]


def download(
    label: str,
    make: Callable[[], Labelled[str | bytes]],
    file_name: str,
    mime: str,
    *,
    key: str,
    icon: str = ":material/download:",
    disabled: bool = False,
    help_text: str | None = None,
    way_out: WayOut = public,
) -> None:
    """Offer a file; it is made when it is asked for, and leaves through ``way_out``.

    Args:
        label: What the button says.
        make: Makes the labelled content; steward-only content is refused.
        file_name: Name of the file.
        mime: Its type.
        key: The widget's key.
        icon: The button's icon.
        disabled: Whether it cannot be asked for yet.
        help_text: Why not, or what it is.
        way_out: ``zones.public``; a k-anonymous table alone leaves through ``zones.handed_over``.
    """
    st.download_button(
        label,
        data=lambda: way_out(make(), file_name),
        file_name=file_name,
        mime=mime,
        on_click="ignore",
        key=key,
        icon=icon,
        disabled=disabled,
        help=help_text,
    )


def download_of(
    result: Result,
    label: str,
    make: Callable[[], str | bytes],
    file_name: str,
    mime: str,
    *,
    key: str,
) -> None:
    """Offer a file made from a run; what guesses of the rows are in stays inside.

    Args:
        result: The run.
        label: What the button says.
        make: Makes the content.
        file_name: Name of the file.
        mime: Its type.
        key: The widget's key.
    """
    keep_inside(
        label,
        lambda: result.labelled(make()),
        file_name,
        mime,
        key=key,
        zone=result.zone,
        help_text=t("common.guessed") if result.zone is Zone.STEWARD_ONLY else None,
    )


INSIDE = "STEWARD-ONLY-"
"""What the name of a file begins with that must stay inside."""


def keep_inside(
    label: str,
    make: Callable[[], Labelled[str | bytes]],
    file_name: str,
    mime: str,
    *,
    key: str,
    zone: Zone,
    help_text: str | None,
) -> None:
    """Offer the steward a file for her own shelf; one that must stay inside says so in its name.

    Args:
        label: What the button says.
        make: Makes the labelled content.
        file_name: Name of the file.
        mime: Its type.
        key: The widget's key.
        zone: The zone of what will be made.
        help_text: What may be done with it.
    """

    def content() -> str | bytes:
        item = make()
        return item.value if item.zone is zone else public(item, file_name)

    inside = zone is Zone.STEWARD_ONLY
    st.download_button(
        label,
        data=content,
        file_name=f"{INSIDE}{file_name}" if inside else file_name,
        mime=mime,
        on_click="ignore",
        key=key,
        icon=":material/lock:" if inside else ":material/download:",
        help=help_text,
    )
