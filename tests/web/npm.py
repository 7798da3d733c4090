# SPDX-License-Identifier: BSD-3-Clause
"""Packages of npm's registry, for one test, in a directory that it throws away."""
import shutil
import subprocess
import tempfile
from pathlib import Path


class Absent(Exception):
    """It cannot be had here; the text says why."""


class Package:
    """A package in a directory of its own, `folder`, for as long as the `with` lasts."""

    def __init__(self, name, version):
        self.wanted = "%s@%s" % (name, version)
        self.name = name

    def __enter__(self):
        npm = shutil.which("npm")
        if not npm:
            raise Absent("no npm is installed")
        self._place = tempfile.TemporaryDirectory(prefix="tune-npm-")
        words = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", self._place.name, self.wanted]
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=180)
        if done.returncode != 0:
            self._place.cleanup()
            raise Absent("npm has no %s here: %s" % (self.wanted, done.stdout.strip()[-200:]))
        self.folder = Path(self._place.name) / "node_modules" / self.name
        return self

    def __exit__(self, *_):
        self._place.cleanup()
