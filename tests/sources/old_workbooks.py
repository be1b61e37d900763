"""Workbooks as Excel 97 to 2003 wrote them (xls), made by hand: no kept library writes them any more.

[MS-CFB] and [MS-XLS] name the numbers. Cells are texts, numbers, truth values and dates.
"""

import datetime as dt
import struct

SECTOR = 512
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
EPOCH = dt.date(1899, 12, 30)


def old_workbook(sheets):
    """An xls file of these sheets, each a list of rows."""
    return container({"Workbook": records(sheets)})


def container(streams):
    """A compound file of streams in its root, each in sectors of its own."""
    sectors, fat, entries = [], [], [entry("Root Entry", 5, END, 0, child=1)]
    for place, (name, content) in enumerate(streams.items(), start=1):
        size = max(4096, len(content))  # shorter ones would lie in sectors of sectors
        padded = content.ljust(-(-size // SECTOR) * SECTOR, b"\0")
        start, n = len(sectors), len(padded) // SECTOR
        sectors += [padded[i * SECTOR : (i + 1) * SECTOR] for i in range(n)]
        fat += [*range(start + 1, start + n), END]
        entries.append(entry(name, 2, start, size, right=place + 1 if place < len(streams) else FREE))
    entries += [bytes(128)] * (-len(entries) % 4)
    directory = len(sectors)
    listing = b"".join(entries)
    n = len(listing) // SECTOR
    sectors += [listing[i * SECTOR : (i + 1) * SECTOR] for i in range(n)]
    fat += [*range(directory + 1, directory + n), END]
    n_fat = -(-(len(fat) + 2) // 128)
    while 128 * n_fat < len(fat) + n_fat:
        n_fat += 1
    places = list(range(len(sectors), len(sectors) + n_fat))
    table = struct.pack(f"<{len(fat) + n_fat}I", *fat, *[FAT] * n_fat).ljust(n_fat * SECTOR, b"\xff")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<5H6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<9I", 0, n_fat, directory, 0, 4096, END, 0, END, 0)
    head += struct.pack("<109I", *places, *[FREE] * (109 - n_fat))
    return head + b"".join(sectors) + table


def entry(name, kind, start, size, *, child=FREE, right=FREE):
    text = (name + "\0").encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII36xIQ", text.ljust(64, b"\0"), len(text), kind, 1, FREE, right, child, start, size
    )


def record(kind, content=b""):
    return struct.pack("<HH", kind, len(content)) + content


def short_text(text):
    return struct.pack("<BB", len(text), 1) + text.encode("utf-16-le")


def records(sheets):
    """The records of the stream: what all sheets share, then each sheet's cells."""
    bodies = [sheet_records(rows) for rows in sheets.values()]
    # 0x42: the code page; 0xE0: how cells look, the first plainly, the second as a date (format 14).
    shared = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0)) + record(0x42, b"\xb0\x04")
    shared += b"".join(record(0xE0, struct.pack("<HH16x", 0, look)) for look in (0, 14))
    bounds = [struct.pack("<I2x", 0) + short_text(name) for name in sheets]
    place = len(shared) + sum(4 + len(b) for b in bounds) + len(record(0x0A))
    for name, body in zip(sheets, bodies, strict=True):
        shared += record(0x85, struct.pack("<I2x", place) + short_text(name))
        place += len(body)
    return shared + record(0x0A) + b"".join(bodies)


def sheet_records(rows):
    found = record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0))
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            found += cell_record(i, j, cell)
    return found + record(0x0A)


def cell_record(row, column, cell):
    if isinstance(cell, bool):
        return record(0x205, struct.pack("<HHHBB", row, column, 0, cell, 0))
    if isinstance(cell, dt.date):
        return record(0x203, struct.pack("<HHHd", row, column, 1, (cell - EPOCH).days))
    if isinstance(cell, str):
        text = struct.pack("<HB", len(cell), 1) + cell.encode("utf-16-le")
        return record(0x204, struct.pack("<HHH", row, column, 0) + text)
    return record(0x203, struct.pack("<HHHd", row, column, 0, cell))
