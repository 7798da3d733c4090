# SPDX-License-Identifier: BSD-3-Clause
"""The chart for Kubernetes, read by helm. Without helm ($TUNE_HELM, or on the PATH) all of it is
skipped, with exit code 77."""
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from kubernetes_schemas import Validated, run

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "packaging/kubernetes/chart"
PLAIN = ROOT / "packaging/kubernetes/tune-node.yaml"
HELM = os.environ.get("TUNE_HELM") or shutil.which("helm")


class Chart(Validated):
    def test_the_chart_passes_lint_and_comes_to_the_manifests(self):
        done = run(HELM, "lint", "--strict", CHART)
        self.assertEqual(done.returncode, 0, done.stdout)
        made = run(HELM, "template", "tune-node", CHART)
        plain = "".join(
            x for x in PLAIN.read_text().splitlines(True) if not x.startswith("##"))
        self.assertEqual(made.stdout, plain, "scripts/render_manifests.sh makes them anew")

    def test_the_chart_is_valid_with_other_values(self):
        done = run(
            HELM, "template", "other", CHART, "--set",
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
    if not HELM:
        print("skipped: there is no helm")
        sys.exit(77)
    unittest.main(verbosity=2)
