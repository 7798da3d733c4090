# SPDX-License-Identifier: BSD-3-Clause
"""Programs that hang wherever they can and ignore TERM: each is killed with all its descendants,
and only its own trial is lost."""
import sys
import time

from e2e import ROOT, Case, main

SCRIPT = """
import signal, subprocess, sys, time
sys.path.insert(0, %r)
import tune_node

where = sys.argv[1]
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["sleep", "1000"])

def hang_in(place):
    while where == place:
        time.sleep(1000)

trial = tune_node.Trial()
if trial.restore_dir:
    hang_in("restore")

def save(to):
    open(to + "/state", "w").close()
    hang_in("save")

def export(format, to):
    open(to + "/model", "w").close()
    hang_in("export")

for i in range(3):
    if not trial.report(loss=1.0 / (i + 1), save=save):
        break
    if i == 1 and where == "restore":
        sys.exit("once more")
trial.export(export)
hang_in("cleanup")
"""


class Hanging(Case):
    def hangs(self, where, more="", stop=3):
        """Runs one trial that hangs at this place. Returns the run's result and the attempts."""
        script = self.directory / "hanging.py"
        script.write_text(SCRIPT % str(ROOT / "python"))
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\n[trainable]\ncommand = %s %s %s\n"
            "export = model\nexport_timeout = 1s\n[space]\nx = 1\n[failure]\nbackoff = 0\n"
            "progress_timeout = 8s\nmax_failures = 1\nmax_timeouts = 0\n"
            "[cluster]\nkill_grace = 300ms\nstop_grace = 3s\n[stop]\ntraining_iteration = %d\n%s\n"
            % (sys.executable, script, where, stop, more)
        )
        began = time.monotonic()
        told = self.run_node("run", ini, "-o", "json", code=None)
        self.assertLess(time.monotonic() - began, 60, told)
        self.assert_no_trial_processes()
        return told.json(), self.rows("SELECT * FROM attempts ORDER BY started, attempt")

    def test_in_a_save(self):
        told, attempts = self.hangs("save", "[checkpoint]\nfrequency = 1\n")

        self.assertEqual(told["counts"]["ERRORED"], 1)
        self.assertEqual([x["end_class"] for x in attempts], ["timeout"])
        self.assertEqual(attempts[0]["exit_status"], -9)

    def test_in_a_restore(self):
        told, attempts = self.hangs("restore", "[checkpoint]\nfrequency = 1\n")

        self.assertEqual(told["counts"]["ERRORED"], 1)
        self.assertEqual([x["end_class"] for x in attempts], ["user_error", "timeout"])

    def expect_a_lost_export(self, told, attempts):
        self.assertEqual(told["counts"]["TERMINATED"], 1)
        self.assertEqual(attempts[0]["exit_status"], -9)
        row = self.rows("SELECT * FROM exports")[0]
        self.assertIsNone(row["path"])
        self.assertIn("longer than export_timeout, which is 1 s", row["why"])

    def test_in_an_export(self):
        self.expect_a_lost_export(*self.hangs("export"))

    def test_in_an_export_that_it_begins_by_itself(self):
        self.expect_a_lost_export(*self.hangs("export", stop=4))

    def test_in_its_clean_up(self):
        told, attempts = self.hangs("cleanup")

        self.assertEqual(told["counts"]["TERMINATED"], 1)
        self.assertEqual(attempts[0]["exit_status"], -9)


if __name__ == "__main__":
    main()
