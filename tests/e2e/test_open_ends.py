# SPDX-License-Identifier: BSD-3-Clause
"""Exports and last checkpoints of trials that end while they do not run, or are lost at their
end."""
import signal

from controlled import ControlCase, SteppingOnWorkers
from e2e import main

EXPORT = "[trainable]\nexport = model\n"


class OpenEnds(ControlCase):
    def exported(self):
        """Trial and step of all existing exports."""
        return [
            (row["trial"], int((self.directory / self.where / row["path"] / "step").read_text()))
            for row in self.rows("SELECT * FROM exports WHERE path IS NOT NULL ORDER BY trial")
        ]

    def lost(self):
        return self.rows("SELECT * FROM exports WHERE path IS NULL ORDER BY trial")


class PausedAtTheEnd(OpenEnds):
    def test_all_that_complete_with_their_bracket_are_exported(self):
        self.let_all()
        for type in ("hyperband", "hb_bohb"):
            with self.subTest(type=type):
                self.where = "results/" + type
                ini = self.stepping(
                    samples=8, slots=1, steps=9,
                    more=EXPORT + "[scheduler]\ntype = %s\nmax_t = 4\nreduction_factor = 2\n" % type
                )
                self.run_node("run", ini, "--experiment.name", type)

                complete = self.rows(
                    "SELECT trial FROM trials WHERE iterations = 4 ORDER BY trial", type
                )
                self.assertGreater(len(complete), 1)
                made = self.rows("SELECT * FROM exports WHERE path IS NOT NULL ORDER BY trial", type)
                self.assertEqual([x["trial"] for x in made], [x["trial"] for x in complete])
                for row in made:
                    path = self.directory / self.where / row["path"] / "step"
                    self.assertEqual(path.read_text(), "4")

    def pause_and_stop(self):
        child = self.begin(self.stepping(samples=2, slots=1, more=EXPORT), running=1)
        self.let(0, 1)
        self.wait_until(lambda: self.iterations(0) == [1], child)
        self.control("pause", 0)
        self.let(0, 2)
        self.wait_for_status(child, 0, "PAUSED")
        told = self.control("stop", 0)
        self.assertIn("made from its last checkpoint", told.out)
        self.let_all()
        self.finish(child)
        self.assertEqual(self.statuses(), {0: "TERMINATED", 1: "TERMINATED"})
        self.assertEqual(self.iterations(0), [1, 2])

    def test_a_paused_trial_that_is_stopped_is_exported_as_it_was(self):
        self.pause_and_stop()

        self.assertEqual(self.exported(), [(0, 2), (1, 3)])

    def test_a_program_that_does_not_look_trains_a_step_that_does_not_count(self):
        (self.gates / "unaware").touch()
        self.pause_and_stop()

        self.assertEqual(self.exported(), [(0, 3), (1, 3)])

    def test_a_second_stop_gives_the_export_up_and_says_so(self):
        child = self.begin(self.stepping(samples=2, slots=1, more=EXPORT), running=1)
        self.let(0, 1)
        self.wait_until(lambda: self.iterations(0) == [1], child)
        self.control("pause", 0)
        self.let(0, 2)
        self.wait_for_status(child, 0, "PAUSED")
        self.wait_for_statuses(child, RUNNING=1)
        self.control("stop", 0)
        self.control("stop", 0)
        self.let_all()
        summary = self.finish(child).json()

        self.assertEqual(self.exported(), [(1, 3)])
        self.assertEqual((summary["exports"]["made"], summary["exports"]["failed"]), (1, 1))
        self.assertIn("stopped", summary["exports"]["why"])


class LostAtTheEnd(OpenEnds):
    """The head is killed during an export or the last checkpoint."""

    def kill_in_export(self, more, hold="hold", held="exporting", last=2):
        (self.gates / hold).touch()
        self.let_all()
        child = self.begin(
            self.stepping(
                samples=1, steps=9,
                more=EXPORT + "[stop]\ntraining_iteration = %d\n" % last + more,
            )
        )
        self.wait_until((self.gates / held).exists, child, "the end of the trial")
        child.send_signal(signal.SIGKILL)
        child.wait()
        self.assert_no_trial_processes()
        (self.gates / hold).unlink()

    def test_the_next_head_makes_the_export(self):
        self.kill_in_export("[checkpoint]\nfrequency = 2\n", last=3)
        self.assertEqual(self.exported(), [])

        self.run_node("resume", self.where)

        self.assertEqual(self.exported(), [(0, 3)])
        # The trial trained once more from its checkpoint, and was not judged again.
        self.assertEqual(self.iterations(0), [1, 2, 3, 3])
        self.assertEqual(self.rows("SELECT iterations FROM trials"), [{"iterations": 3}])
        self.assertEqual(self.statuses(), {0: "TERMINATED"})

    def test_the_next_head_has_the_last_checkpoint_made(self):
        more = "[checkpoint]\nfrequency = 1\nat_end = true\nkeep = 1\n"
        self.kill_in_export(more, "hold2", "saving")
        newest = "SELECT max(training_iteration) AS most FROM checkpoints WHERE state = 'good'"
        self.assertEqual(self.rows(newest)[0]["most"], 1)

        self.run_node("resume", self.where)

        self.assertEqual(self.exported(), [(0, 2)])
        self.assertEqual(self.rows(newest)[0]["most"], 2)
        self.assertEqual(self.statuses(), {0: "TERMINATED"})

    def test_the_next_head_says_that_the_export_is_lost_where_no_checkpoint_is_there(self):
        self.kill_in_export("")

        told = self.run_node("resume", self.where)

        self.assertEqual(self.exported(), [])
        self.assertIn("  exports: all 1 failed: model: the trial has no checkpoint", told.out)
        self.assertEqual(len(self.lost()), 1)
        self.assertEqual(self.statuses(), {0: "TERMINATED"})


class LostWorker(SteppingOnWorkers):
    def test_another_worker_makes_the_export(self):
        (self.gates / "hold").touch()
        head, where = self.head(
            self.stepping(9, EXPORT + "[stop]\ntraining_iteration = 2\n[checkpoint]\nfrequency = 1\n")
        )
        first = self.worker(where, "first", "--own-storage", "--once")
        self.let(9)
        self.wait_until((self.gates / "exporting").exists, head, "the export")
        first.send_signal(signal.SIGKILL)
        first.wait()
        (self.gates / "hold").unlink()
        second = self.worker(where, "second", "--own-storage", "--once")
        self.finish(head)
        self.finish(second)

        row = self.rows("SELECT * FROM exports WHERE path IS NOT NULL")[0]
        path = self.directory / "results" / "x" / row["path"] / "step"
        self.assertEqual(path.read_text(), "2")


class StoppedAgain(ControlCase):
    def test_a_trial_that_waits_to_run_again_ends_where_it_was(self):
        child = self.begin(self.stepping(samples=2, slots=1), running=1)
        self.let(0, 3)
        self.wait_for_status(child, 0, "TERMINATED")
        self.wait_for_status(child, 1, "RUNNING")
        self.control("retry", 0)
        self.control("stop", 0)
        self.let_all()
        told = self.finish(child)

        self.assertEqual(told.err.count("trial 00000 TERMINATED at iteration 3"), 2, told.err)
        self.assertNotIn("iteration 0", told.err)


if __name__ == "__main__":
    main()
