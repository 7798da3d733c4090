# SPDX-License-Identifier: BSD-3-Clause
"""Checks files against the schemas of Kubernetes."""
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

VENVS = Path(os.environ["TUNE_VENVS"])
# The oldest release of Kubernetes that has all kinds that are used, and the newest that is known.
VERSIONS = ("1.27", "1.37")


def run(*command, **more):
    return subprocess.run(
        [str(x) for x in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        universal_newlines=True, timeout=300, **more
    )


class Validated(unittest.TestCase):
    def validator(self):
        """A program of PyPI that has the schemas of Kubernetes with it."""
        place = VENVS / "kubernetes"
        program = place / "bin/kubernetes-validate"
        if not program.exists():
            made = run(sys.executable, "-m", "venv", place)
            if made.returncode == 0:
                made = run(place / "bin/pip", "install", "-q", "kubernetes-validate==1.37.0")
            if made.returncode != 0 or not program.exists():
                shutil.rmtree(place, ignore_errors=True)
                self.skipTest("kubernetes-validate cannot be installed: " + made.stdout[-300:])
        return program

    def assert_valid(self, file):
        program = self.validator()
        for version in VERSIONS:
            done = run(program, "--strict", "-k", version, file)
            self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout
