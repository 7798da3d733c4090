# SPDX-License-Identifier: BSD-3-Clause
"""The example scripts: data files agree, and the training script obeys."""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRAIN = ROOT / "examples" / "python" / "train_digits.py"
TRAIN_SVM = ROOT / "examples" / "python" / "train_svm.py"
MAKE_LIBSVM = ROOT / "scripts" / "make_digits_libsvm.py"


def trained(params, restore=None, decisions=(), script=TRAIN):
    """Plays tune-node to a script.

    decisions: the first answers, each a dict; later ones are "continue".
    Returns all lines that the script sent but the first.
    """
    with tempfile.TemporaryDirectory() as directory:
        params_file = Path(directory, "params.json")
        params_file.write_text(json.dumps(params))
        report_in, report_out = os.pipe()
        answer_in, answer_out = os.pipe()
        environment = dict(
            os.environ,
            TUNE_TRIAL_PARAMS=str(params_file),
            TUNE_TRIAL_REPORT_FD=str(report_out),
            TUNE_TRIAL_ANSWER_FD=str(answer_in),
            **({"TUNE_TRIAL_RESTORE": restore} if restore else {}),
        )
        child = subprocess.Popen(
            [sys.executable, str(script)], env=environment, pass_fds=(report_out, answer_in)
        )
        os.close(report_out)
        os.close(answer_in)
        lines, left = [], list(decisions)
        with os.fdopen(report_in) as reports, os.fdopen(answer_out, "w") as answers:
            assert json.loads(reports.readline()) == {"tune": 1}
            for line in map(json.loads, reports):
                lines.append(line)
                if "metrics" in line:
                    answer = left.pop(0) if left else {"decision": "continue"}
                    answers.write(json.dumps(answer) + "\n")
                    answers.flush()
        assert child.wait(timeout=60) == 0
        return lines


class TrainDigits(unittest.TestCase):
    def test_learns_to_read_digits(self):
        last = trained({"epochs": 6})[-1]["metrics"]

        self.assertGreater(last["accuracy"], 0.93)
        self.assertGreater(last["test_accuracy"], 0.93)
        self.assertEqual(last["training_iteration"], 6)

    def test_goes_on_exactly_where_it_was_paused(self):
        whole = trained({"epochs": 4})
        with tempfile.TemporaryDirectory() as directory:
            pause = {"decision": "pause", "dir": directory}
            first = trained({"epochs": 4}, decisions=[{"decision": "continue"}, pause])
            second = trained({"epochs": 4}, restore=directory)

        self.assertEqual(first[2:], [{"saved": directory}])
        self.assertEqual(first[:2] + second, whole)

    def test_ends_when_it_is_stopped(self):
        self.assertEqual(len(trained({"epochs": 9}, decisions=[{"decision": "stop"}])), 1)


@unittest.skipUnless(shutil.which("svm-train"), "svm-train is not there: scripts/install-deps.sh")
class TrainSvm(unittest.TestCase):
    GOOD = {"C": 10, "gamma": 0.03}

    def test_learns_from_three_times_as_many_images_each_time(self):
        found = [line["metrics"] for line in trained(self.GOOD, script=TRAIN_SVM)]

        self.assertEqual([x["training_iteration"] for x in found], [1, 3, 9, 27])
        self.assertEqual([x["images"] for x in found], [44, 133, 399, 1197])
        self.assertGreater(found[-1]["accuracy"], 0.97)
        self.assertGreater(found[-1]["test_accuracy"], 0.97)

    def test_goes_on_exactly_where_it_was_paused(self):
        whole = trained(self.GOOD, script=TRAIN_SVM)
        with tempfile.TemporaryDirectory() as directory:
            pause = {"decision": "pause", "dir": directory}
            first = trained(self.GOOD, decisions=[{"decision": "continue"}, pause], script=TRAIN_SVM)
            second = trained(self.GOOD, restore=directory, script=TRAIN_SVM)

        self.assertEqual(first[2:], [{"saved": directory}])
        self.assertEqual(first[:2] + second, whole)


class DataFiles(unittest.TestCase):
    def test_libsvm_file_is_what_the_script_makes_of_the_csv_file(self):
        made = subprocess.check_output(
            [sys.executable, str(MAKE_LIBSVM), str(ROOT / "data/digits/digits.csv"), "-"]
        )
        self.assertEqual(made, (ROOT / "data/digits/digits.libsvm").read_bytes())

    def test_libsvm_script_refuses_what_is_no_digit(self):
        with tempfile.TemporaryDirectory() as directory:
            bad = Path(directory, "bad.csv")
            bad.write_text("17," + "0," * 63 + "3\n")
            run = subprocess.run([sys.executable, str(MAKE_LIBSVM), str(bad), "-"], stderr=-1, stdout=-1)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn(b"expected 64 pixels", run.stderr)

    def test_recorded_curves_are_whole(self):
        curves = {}
        with open(ROOT / "data/curves/digits_logistic.csv", newline="") as file:
            for row in csv.DictReader(file):
                key = tuple(row["config." + name] for name in ("lr", "decay", "l2"))
                curves.setdefault(key, []).append(row)

        self.assertEqual(len(curves), 36)
        for key, rows in curves.items():
            self.assertEqual([int(x["training_iteration"]) for x in rows], list(range(1, 16)), key)
            times = [float(x["time_total_s"]) for x in rows]
            self.assertEqual(times, sorted(times), key)

    def test_a_recorded_curve_can_be_recorded_again(self):
        with open(ROOT / "data/curves/digits_logistic.csv", newline="") as file:
            row = next(x for x in csv.DictReader(file) if x["training_iteration"] == "2")
        params = {name: float(row["config." + name]) for name in ("lr", "decay", "l2")}

        again = trained(dict(params, epochs=2))[-1]["metrics"]

        self.assertAlmostEqual(again["loss"], float(row["loss"]), places=4)
        self.assertAlmostEqual(again["accuracy"], float(row["accuracy"]), places=4)


if __name__ == "__main__":
    unittest.main()
