"""The utility report, steward edition: exact figures beside a second sample's, as one page and as JSON.

Everything here looks at real rows without noise, so it belongs to the steward zone and is never part of a
bundle.
"""

from hmpb_core.utility.document import to_html
from hmpb_core.utility.plain_form import to_dict
from hmpb_core.utility.report import UtilityReport, predict_target, utility_report

__all__ = ["UtilityReport", "predict_target", "to_dict", "to_html", "utility_report"]
