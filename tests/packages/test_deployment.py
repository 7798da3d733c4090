# SPDX-License-Identifier: BSD-3-Clause
"""What is shipped to begin head and workers elsewhere: units of systemd, manifests for Kubernetes.
Each is read by the tool that will read it, where that is there. The chart: test_chart.py."""
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from kubernetes_schemas import Validated, run

ROOT = Path(__file__).resolve().parents[2]
UNITS = ROOT / "packaging/systemd"
PLAIN = ROOT / "packaging/kubernetes/tune-node.yaml"
TUNE_NODE = os.environ["TUNE_NODE"]


class Units(unittest.TestCase):
    def setUp(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("there is no systemd-analyze")
        holder = tempfile.TemporaryDirectory(prefix="tune-units-")
        self.addCleanup(holder.cleanup)
        self.place = Path(holder.name)
        for unit in UNITS.glob("*.service"):
            # The program is not installed here.
            text = unit.read_text().replace("/usr/bin/tune-node", TUNE_NODE)
            (self.place / unit.name).write_text(text)

    def test_are_well_formed(self):
        for unit in sorted(self.place.iterdir()):
            with self.subTest(unit.name):
                done = run("systemd-analyze", "verify", "--man=no", unit)
                self.assertEqual((done.returncode, done.stdout.strip()), (0, ""))

    def test_give_away_no_more_rights_than_they_need(self):
        for name, most in (("tune-node-head.service", 20), ("tune-node-worker.service", 40)):
            with self.subTest(name):
                done = run(
                    "systemd-analyze", "security", "--offline=yes", "--no-pager",
                    "--threshold=%d" % most, self.place / name,
                )
                self.assertEqual(done.returncode, 0, done.stdout)

    def test_call_the_program_with_words_that_it_knows(self):
        for unit in sorted(self.place.iterdir()):
            text = unit.read_text()
            line = re.search(r"^ExecStart=(.*)$", text, re.M).group(1)
            values = dict(re.findall(r"^Environment=(\w+)=(.*)$", text, re.M))
            words = line.replace("$OPTIONS", values["OPTIONS"]).split()
            words = [re.sub(r"\$\{(\w+)\}", lambda x: values[x.group(1)], w) for w in words]
            with self.subTest(unit.name):
                done = run(*words, "--help")
                self.assertEqual(done.returncode, 0, done.stdout)
                # Without --help the words themselves are read; a bad one would have exit code 2.
                done = run(*words, "--certs", "/nonexistent", env={"HOME": "/nonexistent"})
                self.assertEqual(done.returncode, 8, done.stdout)

    def test_wait_longer_than_a_worker_takes_to_leave(self):
        text = (UNITS / "tune-node-worker.service").read_text()
        self.assertGreater(int(re.search(r"^TimeoutStopSec=(\d+)$", text, re.M).group(1)), 30)
        self.assertIn("Delegate=yes", text)


class Kubernetes(Validated):
    def test_manifests_are_valid(self):
        said = self.assert_valid(PLAIN)
        for kind in ("service", "statefulset", "deployment", "poddisruptionbudget"):
            self.assertIn("resource %s/" % kind, said)

    def test_programs_of_the_manifests_know_their_words(self):
        lists = re.findall(r"^ +args:\n((?: +- .*\n)+)", PLAIN.read_text(), re.M)
        self.assertEqual(len(lists), 2)
        for text in lists:
            words = [x.strip()[2:].strip('"') for x in text.splitlines()]
            words = [x.replace("$(POD_NAME)", "pod") for x in words]
            done = run(TUNE_NODE, *words, "--help")
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_worker_has_time_to_leave(self):
        text = PLAIN.read_text()
        grace = int(re.search(r"--leave-grace=(\d+)s", text).group(1))
        times = [int(x) for x in re.findall(r"terminationGracePeriodSeconds: (\d+)", text)]
        self.assertEqual(len(times), 2)
        self.assertGreaterEqual(min(times), grace + 30)


if __name__ == "__main__":
    unittest.main(verbosity=2)
