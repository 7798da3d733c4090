# SPDX-License-Identifier: BSD-3-Clause
"""The Python helper, driven over real pipes: each test plays tune-node to a real script."""
import ast
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

HELPER = Path(__file__).resolve().parents[2] / "python" / "tune_node.py"


class Runtime:
    """tune-node's end of one script's pipes."""

    def __init__(self, script, params=None, restore=None, exports=None):
        self.directory = tempfile.TemporaryDirectory()
        self.path = Path(self.directory.name)
        (self.path / "params.json").write_text(json.dumps(params or {}))
        report_in, report_out = os.pipe()
        answer_in, answer_out = os.pipe()
        environment = dict(
            os.environ,
            PYTHONPATH=str(HELPER.parent),
            TUNE_TRIAL_ID="00042",
            TUNE_TRIAL_DIR=str(self.path),
            TUNE_TRIAL_PARAMS=str(self.path / "params.json"),
            TUNE_TRIAL_REPORT_FD=str(report_out),
            TUNE_TRIAL_ANSWER_FD=str(answer_in),
        )
        if restore:
            environment["TUNE_TRIAL_RESTORE"] = restore
        if exports:
            environment["TUNE_TRIAL_EXPORT"] = exports
            environment["TUNE_TRIAL_EXPORT_DIR"] = str(self.path / "out")
        self.process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script)],
            env=environment,
            pass_fds=(report_out, answer_in),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )
        os.close(report_out)
        os.close(answer_in)
        self.reports = os.fdopen(report_in, encoding="utf-8")
        self.answers = os.fdopen(answer_out, "w", encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.hang_up()
        self.reports.close()
        self.process.kill()
        self.process.communicate()
        self.directory.cleanup()

    def hear(self):
        """The script's next line; None once the script has closed its end."""
        line = self.reports.readline()
        return json.loads(line) if line else None

    def answer(self, decision, **more):
        self.answers.write(json.dumps(dict(decision=decision, **more)) + "\n")
        self.answers.flush()

    def hang_up(self):
        if not self.answers.closed:
            self.answers.close()

    def end(self):
        """Waits for the script. Returns its stdout; raises with its stderr if it failed."""
        out, err = self.process.communicate(timeout=60)
        if self.process.returncode != 0:
            raise AssertionError(err)
        return out


THREE_REPORTS = """
    import tune_node
    trial = tune_node.Trial()
    for epoch in range(3):
        if not trial.report(epoch=epoch):
            print("stopped")
            break
    print("end", trial.report(epoch=-1))
"""

SAVING = """
    import tune_node
    trial = tune_node.Trial()
    def save(directory):
        with open(directory + "/epoch", "w") as file:
            file.write(str(epoch))
    for epoch in range(2):
        print(trial.report({"epoch": epoch}, save=save))
"""

EXPORTING = """
    import tune_node
    trial = tune_node.Trial()
    def write(format, directory):
        if format == "onnx":
            raise ValueError("no such layer")
        with open(directory + "/weights", "w") as file:
            file.write("0.5")
    while trial.report(loss=1, save=lambda to: None):
        pass
    print(trial.export(write))
"""

EXPORTING_BY_ITSELF = """
    import tune_node
    trial = tune_node.Trial()
    print(trial.export(lambda format, to: None))
"""


class TrialUnderTuneNode(unittest.TestCase):
    def test_greets_first(self):
        with Runtime(THREE_REPORTS) as runtime:
            self.assertEqual(runtime.hear(), {"tune": 1})

    def test_reads_its_surroundings(self):
        script = """
            import tune_node
            trial = tune_node.Trial(defaults={"lr": 1, "batch": 8})
            print(trial.params, trial.restore_dir, trial.is_tuned, trial.id)
            print(trial.dir)
        """
        with Runtime(script, params={"lr": 0.5, "net": {"w": [1]}}, restore="/some/where") as runtime:
            self.assertEqual(
                runtime.end().splitlines(),
                ["{'lr': 0.5, 'batch': 8, 'net': {'w': [1]}} /some/where True 00042", str(runtime.path)],
            )

    def test_waits_for_each_decision_and_goes_on(self):
        with Runtime(THREE_REPORTS) as runtime:
            runtime.hear()
            for epoch in range(3):
                self.assertEqual(runtime.hear(), {"metrics": {"epoch": epoch}})
                self.assertIsNone(runtime.process.poll())
                runtime.answer("continue")
            self.assertEqual(runtime.hear(), {"metrics": {"epoch": -1}})
            runtime.answer("continue")
            self.assertEqual(runtime.end(), "end True\n")

    def test_stops_when_told_and_reports_no_more(self):
        with Runtime(THREE_REPORTS) as runtime:
            runtime.hear()
            runtime.hear()
            runtime.answer("stop")
            self.assertIsNone(runtime.hear())
            self.assertEqual(runtime.end(), "stopped\nend False\n")

    def test_stops_when_tune_node_hangs_up(self):
        with Runtime(THREE_REPORTS) as runtime:
            runtime.hear()
            runtime.hear()
            runtime.hang_up()
            self.assertEqual(runtime.end(), "stopped\nend False\n")

    def test_stops_when_nobody_reads(self):
        with Runtime(THREE_REPORTS) as runtime:
            runtime.hear()
            runtime.reports.close()
            runtime.answer("continue")
            self.assertEqual(runtime.end(), "stopped\nend False\n")

    def exported_after(self, decision, **more):
        """The exports of a script that is told to end, and its message about them."""
        with Runtime(EXPORTING, exports="model,onnx") as runtime:
            runtime.hear()
            runtime.hear()
            runtime.answer(decision, **more)
            lines = list(iter(runtime.hear, None))
            out = runtime.end().strip()
            there = sorted(x.name for x in (runtime.path / "out").glob("*/weights"))
            return out, [line for line in lines if "export_failed" in line], there

    def test_exports_at_the_end_of_its_trial(self):
        out, failed, there = self.exported_after("stop", export=True)

        self.assertEqual(out, "['model']")
        self.assertEqual(there, ["weights"])
        self.assertEqual(failed, [{"export_failed": "onnx", "error": "ValueError: no such layer"}])

    def test_exports_after_its_last_checkpoint(self):
        with tempfile.TemporaryDirectory() as to:
            self.assertEqual(self.exported_after("pause", dir=to, export=True)[0], "['model']")

    def test_says_that_it_exports(self):
        with Runtime(EXPORTING_BY_ITSELF, exports="model") as runtime:
            self.assertEqual(list(iter(runtime.hear, None)), [{"tune": 1}, {"exporting": True}])
            self.assertEqual(runtime.end(), "['model']\n")
        with Runtime(EXPORTING_BY_ITSELF) as runtime:
            self.assertEqual(list(iter(runtime.hear, None)), [{"tune": 1}])

    def test_exports_nothing_where_the_trial_goes_on_elsewhere(self):
        self.assertEqual(self.exported_after("stop"), ("[]", [], []))

    def test_saves_and_goes_on(self):
        with Runtime(SAVING) as runtime:
            to = str(runtime.path / "new" / "checkpoint")
            runtime.hear()
            runtime.hear()
            runtime.answer("save", dir=to)
            self.assertEqual(runtime.hear(), {"saved": to})
            self.assertEqual(Path(to, "epoch").read_text(), "0")
            self.assertEqual(runtime.hear(), {"metrics": {"epoch": 1}})
            runtime.answer("continue")
            self.assertEqual(runtime.end(), "True\nTrue\n")

    def test_saves_and_ends_when_paused(self):
        with Runtime(SAVING) as runtime:
            to = str(runtime.path)
            runtime.hear()
            runtime.hear()
            runtime.answer("pause", dir=to)
            self.assertEqual(runtime.hear(), {"saved": to})
            self.assertIsNone(runtime.hear())
            self.assertEqual(runtime.end(), "False\nFalse\n")

    def test_says_that_it_cannot_save_and_goes_on(self):
        for decision in ("save", "pause"):
            with self.subTest(decision), Runtime(THREE_REPORTS) as runtime:
                runtime.hear()
                runtime.hear()
                runtime.answer(decision, dir="/not/written")
                told = runtime.hear()
                self.assertEqual(told["save_failed"], "/not/written")
                self.assertIs(told["can_save"], False)
                self.assertEqual(runtime.hear(), {"metrics": {"epoch": 1}})

    def test_goes_on_where_the_save_function_fails(self):
        script = """
            import sys, tune_node
            def save(directory):
                raise OSError("disk on fire")
            trial = tune_node.Trial()
            while trial.report(x=1, save=save):
                pass
            sys.exit("ends with a message")
        """
        for decision in ("save", "pause"):
            with self.subTest(decision), Runtime(script) as runtime:
                runtime.hear()
                runtime.hear()
                runtime.answer(decision, dir=str(runtime.path))
                told = runtime.hear()
                self.assertEqual(told["save_failed"], str(runtime.path))
                self.assertEqual(told["error"], "OSError: disk on fire")
                self.assertNotIn("can_save", told)
                self.assertEqual(runtime.hear(), {"metrics": {"x": 1}})
                runtime.answer("stop")
                # With the traceback of the script's exception.
                with self.assertRaisesRegex(AssertionError, "(?s)in save.*disk on fire.*ends with"):
                    runtime.end()

    def test_names_the_checkpoint_it_brings(self):
        script = """
            import os, tune_node
            os.chdir("/")
            tune_node.Trial().report(x=1, checkpoint="tmp")
        """
        with Runtime(script) as runtime:
            runtime.hear()
            self.assertEqual(runtime.hear(), {"metrics": {"x": 1}, "checkpoint": "/tmp"})

    def test_sends_numbers_that_json_has_not(self):
        script = """
            import tune_node
            inf = float("inf")
            tune_node.Trial().report(a=inf - inf, b=[inf, (-inf,)], c={"d": inf, 5: None}, e="nan")
        """
        with Runtime(script) as runtime:
            runtime.hear()
            self.assertEqual(
                runtime.hear()["metrics"],
                {"a": "nan", "b": ["inf", ["-inf"]], "c": {"d": "inf", "5": None}, "e": "nan"},
            )

    def test_sends_floats_exactly_and_keeps_kinds_apart(self):
        script = """
            import tune_node
            tune_node.Trial().report(f=0.1 + 0.2, one=1.0, n=1, big=2**70, yes=True, s="\\u00e4\\n\\U0001f600")
        """
        with Runtime(script) as runtime:
            runtime.hear()
            got = runtime.hear()["metrics"]
            self.assertEqual(got["f"], 0.1 + 0.2)
            self.assertEqual([type(got[x]) for x in ("one", "n", "yes")], [float, int, bool])
            self.assertEqual(got["big"], 2**70)
            self.assertEqual(got["s"], "\u00e4\n\U0001f600")

    def test_takes_scalars_and_arrays_of_other_libraries(self):
        script = """
            import tune_node
            class Scalar:
                def item(self):
                    return float("nan")
            class Array:
                def tolist(self):
                    return [1, 2.5]
            class Double(float):
                def __repr__(self):
                    return "Double(...)"
            tune_node.Trial().report(a=Scalar(), b=Array(), c=Double(1.5))
        """
        with Runtime(script) as runtime:
            runtime.hear()
            self.assertEqual(runtime.hear()["metrics"], {"a": "nan", "b": [1, 2.5], "c": 1.5})

    def test_refuses_metrics_that_are_no_data(self):
        with Runtime("import tune_node; tune_node.Trial().report(x=object())") as runtime:
            with self.assertRaisesRegex(AssertionError, "a metric cannot be a object"):
                runtime.end()

    def test_skips_answers_that_hold_no_decision(self):
        with Runtime(THREE_REPORTS) as runtime:
            runtime.hear()
            runtime.answers.write('{"tune":1}\n')
            runtime.hear()
            runtime.answer("stop")
            self.assertEqual(runtime.end(), "stopped\nend False\n")

    def test_complains_about_what_it_does_not_know(self):
        for line, text in (("hello\n", "not a line of JSON"), ('{"decision":"dance"}\n', "dance")):
            with self.subTest(line), Runtime(THREE_REPORTS) as runtime:
                runtime.answers.write(line)
                runtime.answers.flush()
                with self.assertRaisesRegex(AssertionError, "ProtocolError.*" + text):
                    runtime.end()

    def test_keeps_its_pipes_from_child_processes(self):
        script = """
            import os, subprocess, sys, tune_node
            trial = tune_node.Trial()
            fds = [os.environ["TUNE_TRIAL_REPORT_FD"], os.environ["TUNE_TRIAL_ANSWER_FD"]]
            child = "import os, sys; print(*[os.path.exists('/proc/self/fd/' + x) for x in sys.argv[1:]])"
            print(subprocess.check_output([sys.executable, "-c", child] + fds, close_fds=False).decode())
        """
        with Runtime(script) as runtime:
            self.assertEqual(runtime.end().strip(), "False False")


class TrialByHand(unittest.TestCase):
    def test_prints_reports_and_goes_on(self):
        script = """
            import tune_node
            trial = tune_node.Trial({"lr": 0.1})
            print(trial.params, trial.restore_dir, trial.is_tuned)
            print(trial.report({"loss": 0.5}, accuracy=float("nan"), save=print))
            trial.report(loss=0.25)
        """
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TUNE_")}
        environment["PYTHONPATH"] = str(HELPER.parent)
        out = subprocess.check_output(
            [sys.executable, "-c", textwrap.dedent(script)], env=environment, universal_newlines=True
        )
        self.assertEqual(
            out.splitlines(),
            [
                "{'lr': 0.1} None False",
                "report 1: loss=0.5 accuracy=nan",
                "True",
                "report 2: loss=0.25",
            ],
        )


class Source(unittest.TestCase):
    @unittest.skipIf(sys.version_info < (3, 8), "this Python cannot check for an older one")
    def test_is_written_in_python_3_7(self):
        ast.parse(HELPER.read_text(encoding="utf-8"), feature_version=(3, 7))

    def test_needs_the_standard_library_only(self):
        imported = set()
        for node in ast.walk(ast.parse(HELPER.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported.update(name.name for name in node.names)
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module)
        self.assertEqual(imported, {"json", "math", "os", "sys", "traceback"})


if __name__ == "__main__":
    unittest.main()
