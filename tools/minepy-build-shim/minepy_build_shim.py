"""Regenerate minepy's C file while minepy is being built.

minepy 1.2.6 ships C code that an old Cython wrote against an old NumPy; it no longer compiles. This module
runs only inside minepy's own build environment, where it is a setuptools hook: it renames one NumPy constant
in the Cython source and compiles that instead.
"""

from pathlib import Path
from typing import Any


def regenerate(dist: Any) -> None:
    """Replace the shipped C source of minepy by freshly generated code."""
    if dist.get_name() != "minepy" or not dist.ext_modules:
        return
    from Cython.Build import cythonize

    pyx = Path("minepy/mine.pyx")
    pyx.write_text(pyx.read_text().replace("np.NPY_OWNDATA", "np.NPY_ARRAY_OWNDATA"))
    for ext in dist.ext_modules:
        ext.sources = [str(pyx) if source == "minepy/mine.c" else source for source in ext.sources]
    dist.ext_modules = cythonize(dist.ext_modules, force=True)
