"""Files broken on purpose: whatever is in them, one sentence comes out, and never a value."""

import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as pafeather
import pyarrow.parquet as papq
import pyreadstat
import pytest

from hmpb_core.errors import HmpbError
from hmpb_core.sources.files import read_header, read_table
from tests.sources.old_workbooks import old_workbook
from tests.sources.test_formats import workbook

SECRET = "sentinel-9731"
CASES = 3000 if os.environ.get("HMPB_SLOW") else 60


def content_of(ending, folder):
    frame = pd.DataFrame({"a": range(60), "b": [SECRET, "yy", "", "z"] * 15, "c": np.linspace(0, 1, 60)})
    path = folder / f"t{ending}"
    if ending == ".parquet":
        papq.write_table(pa.Table.from_pandas(frame), path)
    elif ending == ".feather":
        pafeather.write_feather(frame, path)
    elif ending == ".xlsx":
        return workbook({"T": [list(frame), *frame.values.tolist()]})
    elif ending == ".xls":
        return old_workbook({"T": [list(frame), *frame.values.tolist()]})
    elif ending == ".csv":
        frame.to_csv(path, index=False)
    else:
        write = {".sav": pyreadstat.write_sav, ".dta": pyreadstat.write_dta, ".xpt": pyreadstat.write_xport}
        write[ending](frame, path)
    return path.read_bytes()


def refusal(read, content, name):
    try:
        read(content, name=name)
    except HmpbError as error:
        return error
    return None


@pytest.mark.parametrize("ending", [".csv", ".xlsx", ".xls", ".parquet", ".feather", ".sav", ".dta", ".xpt"])
def test_a_file_damaged_anywhere_is_read_or_refused_in_one_sentence(ending, tmp_path):
    whole = content_of(ending, tmp_path)
    rng = np.random.default_rng(11)
    refused = 0
    for _ in range(CASES // 3 if ending == ".xls" else CASES):  # its sheets mostly grow to 65,536 rows
        broken = bytearray(whole)
        for place in rng.integers(0, len(broken), int(rng.integers(1, 12))):
            broken[place] = int(rng.integers(256))
        if rng.random() < 0.2:
            broken = broken[: int(rng.integers(1, len(broken)))]
        for read in (read_table, read_header):
            error = refusal(read, bytes(broken), f"t{ending}")
            if error is not None:
                refused += 1
                assert SECRET not in str(error)
                assert "\n" not in str(error)
                assert error.__cause__ is None
    assert refused > 0
