# SPDX-License-Identifier: BSD-3-Clause
"""What is shipped to begin head and workers elsewhere: units of systemd, a chart for Kubernetes.
Each is read by the tool that will read it, where that is there."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UNITS = ROOT / "packaging/systemd"
CHART = ROOT / "packaging/kubernetes/chart"
PLAIN = ROOT / "packaging/kubernetes/tune-node.yaml"
TUNE_NODE = os.environ["TUNE_NODE"]
VENVS = Path(os.environ["TUNE_VENVS"])
# The oldest release of Kubernetes that has all kinds that are used, and the newest that is known.
VERSIONS = ("1.27", "1.37")


def run(*command, **more):
    return subprocess.run(
        [str(x) for x in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        universal_newlines=True, timeout=300, **more
    )


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


class Kubernetes(unittest.TestCase):
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

    def helm(self):
        found = os.environ.get("TUNE_HELM") or shutil.which("helm")
        if not found:
            self.skipTest("there is no helm")
        return found

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

    def test_the_chart_passes_lint_and_comes_to_the_manifests(self):
        helm = self.helm()
        done = run(helm, "lint", "--strict", CHART)
        self.assertEqual(done.returncode, 0, done.stdout)
        made = run(helm, "template", "tune-node", CHART)
        plain = "".join(
            x for x in PLAIN.read_text().splitlines(True) if not x.startswith("##"))
        self.assertEqual(made.stdout, plain, "scripts/render_manifests.sh makes them anew")

    def test_the_chart_is_valid_with_other_values(self):
        helm = self.helm()
        done = run(
            helm, "template", "other", CHART, "--set",
            "workers.certificatesSecret=c,workers.nodeSelector.gpu=yes,head.storage.className=ssd,"
            "workers.options={--gpus,1},image.tag=9",
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("--token", done.stdout)
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(done.stdout)
            file.flush()
            self.assert_valid(file.name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
