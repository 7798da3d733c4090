# SPDX-License-Identifier: BSD-3-Clause
"""The dashboard's modules that need no page, in Node's own test runner."""
import shutil
import subprocess
import unittest
from pathlib import Path

from skips import main

UNITS = Path(__file__).resolve().parent / "units"
NODE = shutil.which("node") or shutil.which("nodejs")


class Units(unittest.TestCase):
    @unittest.skipUnless(NODE, "no Node.js is installed (Debian: nodejs)")
    def test_modules(self):
        files = sorted(str(x) for x in UNITS.glob("*.test.mjs"))
        self.assertGreater(len(files), 4)
        done = subprocess.run([NODE, "--test", *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if "bad option" in done.stdout:
            self.skipTest("this Node.js has no test runner: 18 is needed")
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    main()
