#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the digits in svm-train's format: one "label index:value ..." line per image.

usage: make_digits_libsvm.py [FROM.csv [TO.libsvm]]

Features are scaled to [0, 1] (grey value / 16; exact, as 16 is a power of two). Zeros are left
out, indices count from 1. "-" as TO means stdout. Defaults: data/digits/ of this repository.
"""
import sys
from pathlib import Path

DIGITS = Path(__file__).resolve().parent.parent / "data" / "digits"
WHITE = 16  # the largest grey value


def libsvm_line(row):
    """One row of the CSV file (64 pixels, then the label) as a line without its newline."""
    *pixels, label = (int(x) for x in row.split(","))
    if len(pixels) != 64 or not 0 <= label <= 9 or not all(0 <= x <= WHITE for x in pixels):
        raise ValueError("expected 64 pixels in 0..16 and a digit, got: " + row)
    features = ("%d:%g" % (i, x / WHITE) for i, x in enumerate(pixels, 1) if x)
    return " ".join([str(label), *features])


def main(arguments):
    if len(arguments) > 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    source = Path(arguments[0]) if arguments else DIGITS / "digits.csv"
    target = arguments[1] if len(arguments) > 1 else DIGITS / "digits.libsvm"
    text = "".join(libsvm_line(row) + "\n" for row in source.read_text().splitlines())
    if target == "-":
        sys.stdout.write(text)
    else:
        Path(target).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
