"""The app's settings: nothing is sent out, nothing is told to strangers, everything can be read."""

import tomllib
from pathlib import Path

import pytest

CONFIG = tomllib.loads((Path(__file__).resolve().parents[2] / ".streamlit/config.toml").read_text())
THEMES = {name: CONFIG["theme"][name] for name in ("light", "dark")}
CAPTION_OPACITY = 0.6  # Streamlit's captions and hints


def channels(colour):
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def luminance(colour):
    """Relative luminance by WCAG 2.2."""
    shares = (value / 255 for value in channels(colour))
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def blend(front, back, opacity):
    pairs = zip(channels(front), channels(back), strict=True)
    return "#" + "".join(f"{round(opacity * f + (1 - opacity) * b):02x}" for f, b in pairs)


def surfaces(theme):
    keys = ("backgroundColor", "secondaryBackgroundColor")
    return {part[key] for part in (theme, theme["sidebar"]) for key in keys}


@pytest.fixture(params=THEMES, name="theme")
def one_theme(request):
    return THEMES[request.param]


def test_contrast_is_reckoned_as_wcag_does():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


def test_text_and_links_are_readable_on_every_surface(theme):
    for surface in surfaces(theme):
        assert contrast(theme["textColor"], surface) >= 7
        assert contrast(theme["linkColor"], surface) >= 4.5
        assert contrast(blend(theme["textColor"], surface, CAPTION_OPACITY), surface) >= 4.5


def test_buttons_and_slider_values_are_readable(theme):
    assert contrast("#ffffff", theme["primaryColor"]) >= 4.5
    assert contrast(theme["primaryColor"], theme["backgroundColor"]) >= 4.5
    assert contrast(theme["primaryColor"], theme["sidebar"]["backgroundColor"]) >= 4.5


def test_widget_borders_and_chart_colours_stand_out(theme):
    for colour in (theme["borderColor"], *theme["chartCategoricalColors"]):
        assert contrast(colour, theme["backgroundColor"]) >= 3


def test_app_sends_nothing_out_and_shows_no_error_text():
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["client"]["showErrorDetails"] == "none"
    assert CONFIG["client"]["showErrorLinks"] is False


def test_app_listens_to_this_computer_only():
    assert CONFIG["server"]["address"] == "127.0.0.1"
    assert set(CONFIG["server"]["allowedHosts"]) == {"localhost", "127.0.0.1"}
    assert CONFIG["server"]["xsrfCookieSameSite"] == "strict"
