# SPDX-License-Identifier: BSD-3-Clause
"""Runs tests that need what not every machine has: without it they are skipped with a reason."""
import sys
import unittest

SKIPPED = 77


def main():
    """As unittest's, but tells ctest where nothing could be run."""
    program = unittest.main(module="__main__", exit=False)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun == len(result.skipped):
        for _, why in result.skipped:
            print("skipped:", why)
        sys.exit(SKIPPED)
