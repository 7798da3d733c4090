# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints that are far too large: they are refused and reported. Where they are allowed,
neither other trials nor the end wait for them."""
import os
import signal
import time
from pathlib import Path

from cluster import Cluster
from e2e import main

# Brings a checkpoint with each report: for x = 0 one with a hole of a terabyte in it, for others a
# small one. Ends after eight reports, or once its file exists.
TRIAL = """#!/bin/sh
# trial.sh X GATE: hands checkpoints over
mkdir -p state
if [ "$1" = 0 ]; then truncate -s 1T state/huge; else echo "$1" >state/small; fi
echo '{"tune":1}' >&"$TUNE_TRIAL_REPORT_FD"
i=0
while [ $i -lt 8 ] || { [ "$1" = 0 ] && [ ! -e "$2" ]; }; do
  i=$((i + 1))
  echo "{\\"metrics\\":{\\"loss\\":$i},\\"checkpoint\\":\\"state\\"}" >&"$TUNE_TRIAL_REPORT_FD"
  eval "read -r answer <&$TUNE_TRIAL_ANSWER_FD"
  case $answer in *stop*) exit 0 ;; esac
done
"""

# Writes the same checkpoints on request.
ASKED = """#!/bin/sh
# asked.sh X: saves when it is asked
echo '{"tune":1}' >&"$TUNE_TRIAL_REPORT_FD"
i=0
while [ $i -lt 8 ]; do
  i=$((i + 1))
  echo "{\\"metrics\\":{\\"loss\\":$i}}" >&"$TUNE_TRIAL_REPORT_FD"
  eval "read -r answer <&$TUNE_TRIAL_ANSWER_FD"
  dir=$(printf %s "$answer" | sed -n 's/.*"dir":"\\([^"]*\\)".*/\\1/p')
  if [ -n "$dir" ]; then
    if [ "$1" = 0 ]; then truncate -s 1T "$dir/huge"; else echo "$1" >"$dir/small"; fi
    echo "{\\"saved\\":\\"$dir\\"}" >&"$TUNE_TRIAL_REPORT_FD"
  fi
  case $answer in *stop*|*pause*) exit 0 ;; esac
done
"""

# Far less than reading a terabyte takes, even on a busy machine.
SOON = 60


class Limits(Cluster):
    def setUp(self):
        super().setUp()
        for name, text in (("hands.sh", TRIAL), ("asked.sh", ASKED)):
            (self.directory / name).write_text(text)
            (self.directory / name).chmod(0o755)

    def sizes(self, program="hands.sh", checkpoint="", cluster="", name="x.ini"):
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n"
            '[trainable]\ncommand = ./%s {x} "%s"\n[space]\nx = grid(0, 1)\n'
            "[failure]\nbackoff = 0\n[checkpoint]\n%s\n"
            "[cluster]\nstop_grace = 500ms\nkill_grace = 500ms\ncpus = 2\n%s\n"
            % (program, self.gate, checkpoint, cluster),
            name,
        )

    def saved(self, trial):
        return self.rows_if_any(
            "SELECT * FROM checkpoints WHERE trial = %d AND state <> 'doomed'" % trial
        )

    def drafts(self):
        found = []
        for top, directories, _ in os.walk(self.directory):
            found += [Path(top, x) for x in directories if x.endswith(".tmp")]
        return found

    def failures(self, trial):
        query = "SELECT reason FROM decisions WHERE action = 'save_failed' AND trial = %d" % trial
        return [row["reason"] for row in self.rows(query)]

    def test_a_terabyte_is_refused_and_told_of_once(self):
        self.open_gate()
        began = time.monotonic()

        ran = self.run_node("run", self.sizes())

        self.assertLess(time.monotonic() - began, SOON)
        self.assertEqual(
            self.rows("SELECT status FROM trials"), [{"status": "TERMINATED"}] * 2
        )
        told = self.failures(0)
        self.assertEqual(len(told), 1, told)
        self.assertIn("[checkpoint] max_size", told[0])
        self.assertEqual(self.failures(1), [])
        self.assertTrue(self.saved(1))
        self.assertEqual(self.saved(0), [])
        self.assertEqual(ran.err.count("[checkpoint] max_size"), 1, ran)
        self.assertIn("max_size", self.why(0)[1])
        self.assertEqual(self.drafts(), [])

    def test_one_that_was_asked_for_is_refused_as_well(self):
        ran = self.run_node("run", self.sizes("asked.sh", "frequency = 2"))

        self.assertEqual(
            self.rows("SELECT status FROM trials"), [{"status": "TERMINATED"}] * 2
        )
        self.assertIn("[checkpoint] max_size", self.failures(0)[0])
        self.assertTrue(self.saved(1))
        self.assertEqual(ran.err.count("[checkpoint] max_size"), 1, ran)
        self.assertEqual(self.drafts(), [])

    def test_a_trial_that_cannot_end_with_its_checkpoint_ends_all_the_same(self):
        self.run_node(
            "run", self.sizes("asked.sh", "at_end = true", "[stop]\ntraining_iteration = 4")
        )

        self.assertEqual(
            self.rows("SELECT status FROM trials"), [{"status": "TERMINATED"}] * 2
        )
        self.assertEqual(len(self.rows("SELECT * FROM attempts WHERE trial = 0")), 1)
        self.assertTrue(self.saved(1))

    def test_nobody_waits_for_one_that_is_allowed_nor_does_the_end(self):
        run = self.start("run", self.sizes(checkpoint="max_size = 0"))
        self.wait_until(
            lambda: self.rows_if_any("SELECT * FROM trials WHERE trial = 1 AND ended IS NOT NULL"),
            run, "the end of the trial with small checkpoints",
        )
        self.assertTrue(self.saved(1))
        self.assertEqual(self.saved(0), [], "a terabyte was read; the test needs a larger hole")
        self.assertTrue(self.drafts())
        began = time.monotonic()

        run.send_signal(signal.SIGINT)
        self.finish(run, None)

        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual(self.drafts(), [])
        self.assert_no_trial_processes()

    def test_a_second_signal_ends_the_copying_at_once(self):
        ini = self.sizes(checkpoint="max_size = 0")
        run = self.start("run", ini, "--cluster.stop_grace", "1h")
        self.wait_until(lambda: self.drafts() and self.saved(1), run, "a huge draft")

        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGTERM)
        began = time.monotonic()
        self.finish(run, None)

        self.assertLess(time.monotonic() - began, 20)
        self.assert_no_trial_processes()

    def test_a_worker_keeps_nobody_waiting_and_goes_when_it_is_told(self):
        ini = self.sizes(checkpoint="max_size = 0", cluster="local = false")
        head, where = self.head(ini)
        worker = self.worker(where, "one", "--own-storage", cpus=2)
        self.wait_until(lambda: len(self.saved(1)) >= 3, head, "small checkpoints at the head")
        self.assertEqual(self.saved(0), [])

        # Two signals of the same kind would count as one for a process that has not looked yet.
        worker.send_signal(signal.SIGINT)
        worker.send_signal(signal.SIGTERM)
        began = time.monotonic()
        self.finish(worker, None)

        self.assertLess(time.monotonic() - began, 20)
        head.send_signal(signal.SIGINT)
        self.finish(head, None)
        self.assertEqual(self.drafts(), [])
        self.assert_no_trial_processes()

    def test_a_million_files_are_refused(self):
        self.open_gate()
        hands = (self.directory / "hands.sh").read_text()
        many = 'for i in 1 2 3 4 5 6; do : >state/$i; done'
        (self.directory / "hands.sh").write_text(hands.replace("truncate -s 1T state/huge", many))

        self.run_node("run", self.sizes(checkpoint="max_files = 5"))

        self.assertRegex(self.failures(0)[0], "more than 5 files .* max_files")
        self.assertTrue(self.saved(1))


if __name__ == "__main__":
    main()
