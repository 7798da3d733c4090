# SPDX-License-Identifier: BSD-3-Clause
"""The dashboard's JavaScript keeps to the types that its comments tell."""
import shutil
import subprocess
import unittest
from pathlib import Path

from npm import Absent, Package
from skips import main

WEB = Path(__file__).resolve().parents[2] / "web"


def check(words):
    return subprocess.run([*words, "-p", str(WEB)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


class Types(unittest.TestCase):
    def test_types(self):
        node = shutil.which("node") or shutil.which("nodejs")
        if not node:
            self.skipTest("no Node.js is installed (Debian: nodejs)")
        try:
            with Package("typescript", "5.9") as tsc:
                done = check([node, str(tsc.folder / "bin/tsc")])
        except Absent as why:
            self.skipTest(str(why))
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    main()
