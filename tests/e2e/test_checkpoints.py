# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints of trials on workers: brought to the head, and from there to the next attempt."""
import shutil
import signal
import sys
from pathlib import Path

from cluster import Cluster
from e2e import FAULTY_NODE, ROOT, TUNE_NODE, Case, main

COUNTING = Path(__file__).with_name("counting_trial.py")


class Checkpoints:
    """Shared by the tests below."""

    def counting_ini(self, steps=5, size=1000, files=3, frequency=1, more=""):
        """An experiment of one trial that counts, and waits before its third report."""
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n"
            '[trainable]\ncommand = %s %s "%s" %d %d %d\n'
            "[space]\nx = 1\n[checkpoint]\nfrequency = %d\n[failure]\nbackoff = 0\n%s\n"
            % (sys.executable, COUNTING, self.gate, steps, size, files, frequency, more)
        )

    def checkpoints(self):
        return self.rows_if_any("SELECT * FROM checkpoints ORDER BY seq")

    def wait_for_checkpoints(self, count, head):
        self.wait_until(
            lambda: len(self.checkpoints()) >= count, head, "%d checkpoints" % count
        )

    def experiment_directory(self):
        return self.directory / "results" / "x"

    def drafts(self, root=None):
        return list((root or self.experiment_directory()).rglob("*.tmp"))

    def iterations(self, attempt):
        query = "SELECT training_iteration FROM results WHERE attempt = '%s' ORDER BY seq" % attempt
        return [row["training_iteration"] for row in self.rows(query)]


class OnThisMachine(Checkpoints, Case):
    def setUp(self):
        super().setUp()
        self.gate = self.directory / "go on"

    def left_off(self):
        """Interrupts a trial in its third step. Returns the checkpoints that it has."""
        head = self.start("run", self.counting_ini(frequency=1))
        self.wait_for_checkpoints(2, head)
        head.kill()
        self.finish(head, None)
        self.assert_no_trial_processes()
        self.gate.touch()
        return [self.experiment_directory() / row["location"] for row in self.checkpoints()]

    def test_a_late_word_of_a_save_that_was_given_up_completes_no_other(self):
        ini = self.experiment("tune save_late", more="[checkpoint]\nfrequency = 1\n")
        self.run_node("run", ini)
        kept = self.checkpoints()
        self.assertEqual([row["training_iteration"] for row in kept], [3])
        state = self.experiment_directory() / kept[0]["location"] / "state"
        self.assertEqual(state.read_text(), "kept")
        self.run_node("fsck", "--verify", self.experiment_directory())

    def test_one_that_was_spoilt_is_followed_by_the_one_before(self):
        older, newest = self.left_off()
        noise = (newest / "noise").read_bytes()
        (newest / "noise").write_bytes(noise[:-1] + bytes([noise[-1] ^ 1]))

        told = self.run_node("run", "x.ini", "--resume", "-o", "json").json()

        self.assertEqual(told["counts"]["TERMINATED"], 1)
        ends = self.attempts_of_trial()
        self.assertEqual(ends[-2]["end_class"], "bad_checkpoint")
        self.assertIn("noise is not as it was saved", ends[-2]["detail"])
        self.assertEqual(ends[-1]["end_class"], "finished")
        self.assertEqual(self.iterations(ends[-1]["attempt"])[0], 2)
        self.assertTrue((older / ".tune_checkpoint.json").is_file())

    def test_one_that_was_removed_counts_as_bad_for_the_next_head(self):
        older, newest = self.left_off()
        shutil.rmtree(newest)

        ran = self.run_node("run", "x.ini", "--resume", "-o", "json")

        self.assertIn("is not there any more", ran.err)
        self.assertEqual(ran.err.count("is not there any more"), 1)
        states = {row["location"]: row["state"] for row in self.checkpoints()}
        self.assertEqual(states[str(newest.relative_to(self.experiment_directory()))], "bad")
        # No attempt was wasted on discovering the fault.
        ends = [row["end_class"] for row in self.attempts_of_trial()]
        self.assertEqual(ends, ["interrupted", "finished"])
        self.assertEqual(self.iterations(self.attempts_of_trial()[-1]["attempt"])[0], 2)
        self.assertTrue(older.is_dir())

    def test_a_trial_that_has_nothing_left_to_do_ends_well(self):
        program = self.directory / "once.py"
        program.write_text(
            "import sys, time\n"
            "sys.path.insert(0, %r)\n"
            "import tune_node\n"
            "trial = tune_node.Trial()\n"
            "if not trial.restore_dir:\n"
            "    trial.report(loss=1, save=lambda to: None)\n"
            "    time.sleep(1000)\n" % str(ROOT / "python")
        )
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n"
            "[trainable]\ncommand = %s %s\n[space]\nx = 1\n[checkpoint]\nfrequency = 1\n"
            % (sys.executable, program)
        )
        head = self.start("run", ini)
        self.wait_for_checkpoints(1, head)
        head.kill()
        self.finish(head, None)

        told = self.run_node("run", ini, "--resume", "-o", "json").json()

        self.assertEqual(told["counts"]["TERMINATED"], 1)
        self.assertEqual(self.attempts_of_trial()[-1]["end_class"], "finished")

    def attempts_of_trial(self):
        return self.rows("SELECT * FROM attempts ORDER BY started, attempt")

    def test_fsck_finds_one_that_was_spoilt(self):
        self.gate.touch()
        self.run_node("run", self.counting_ini())
        row = self.checkpoints()[0]
        count = self.experiment_directory() / row["location"] / "deep" / "er" / "count"
        count.write_text("7")
        self.damaged.add("x")

        told = self.run_node("fsck", self.experiment_directory(), code=7)

        self.assertIn("er/count is not as it was saved", told.out + told.err)

    def test_one_that_is_older_than_manifests_is_restored(self):
        _, newest = self.left_off()
        (newest / ".tune_checkpoint.json").unlink()

        self.run_node("run", "x.ini", "--resume")

        last = self.attempts_of_trial()[-1]
        self.assertEqual(last["end_class"], "finished")
        self.assertEqual(self.iterations(last["attempt"]), [3, 4, 5])


class OnWorkers(Checkpoints, Cluster):
    program = TUNE_NODE

    def start_on(self, node, log, *words):
        del node
        with open(self.directory / log, "w", encoding="utf-8") as err:
            return self.start(
                "--pdeathsig", "KILL", self.program, *words, program="setpriv", stderr=err
            )

    def far_worker(self, where, name, *words, **how):
        """A worker that does not see the head's disk."""
        return self.worker(where, name, "--own-storage", *words, **how)

    def remote_ini(self, **how):
        return self.counting_ini(more="[cluster]\nlocal = false\n", **how)

    def assert_restored_elsewhere(self, iteration):
        """Checks that the second attempt went on from the checkpoint of this iteration."""
        first, second = self.attempts()[:2]
        self.assertEqual(first["end_class"], "node_lost")
        self.assertIsNotNone(second["start_checkpoint"], second)
        self.assertIn(second["end_class"], ("finished", "stopped"))
        self.assertEqual(self.iterations(second["attempt"])[0], iteration + 1)

    def test_a_trial_goes_on_elsewhere_from_what_its_worker_saved_before_it_died(self):
        head, where = self.head(self.remote_ini(size=3_000_000, files=1000), "-o", "json")
        first = self.far_worker(where, "first")
        self.wait_for_checkpoints(2, head)

        first.kill()
        second = self.far_worker(where, "second", "--once")
        self.wait_until(lambda: len(self.attempts()) == 2, head, "another attempt")
        self.open_gate()

        told = self.finish(head).json()
        self.assertEqual(told["counts"]["TERMINATED"], 1)
        self.finish(second)
        self.assert_restored_elsewhere(2)
        kept = self.experiment_directory() / self.checkpoints()[1]["location"]
        self.assertEqual(len(list((kept / "many").iterdir())), 1000)
        self.assertEqual(self.checkpoints()[1]["bytes"], sum(
            x.stat().st_size for x in kept.rglob("*")
            if x.is_file() and not x.is_symlink() and x.name != ".tune_checkpoint.json"
        ))
        self.assertEqual(self.drafts(), [])
        self.assert_no_trial_processes()

    def test_a_trial_that_was_paused_goes_on_on_another_node(self):
        ini = self.remote_ini(frequency=0)
        head, where = self.head(ini)
        first = self.far_worker(where, "first", "--once")
        self.wait_until(lambda: self.rows_if_any("SELECT * FROM results"), head, "a report")

        head.send_signal(signal.SIGINT)
        # Otherwise the trial may finish before it hears of the interruption.
        told = "SELECT * FROM events WHERE kind = 'interrupted'"
        self.wait_until(lambda: self.rows(told), head, "the interruption")
        self.open_gate()
        self.finish(head, 130)
        self.finish(first)
        self.assertEqual(len(self.checkpoints()), 1)
        saved = self.checkpoints()[0]["training_iteration"]
        head, where = self.head(ini, "--resume")
        second = self.far_worker(where, "second", "--once")

        self.finish(head)
        self.finish(second)
        ends = [(row["node"], row["end_class"]) for row in self.attempts()]
        self.assertEqual(ends, [("first", "interrupted"), ("second", "finished")])
        self.assertEqual(self.iterations(self.attempts()[1]["attempt"])[0], saved + 1)

    def test_every_kind_of_trainable_goes_on_elsewhere(self):
        self.program = FAULTY_NODE
        kinds = [("hands_over", "process"), ("hands_over", "thread"),
                 ("counts", "process"), ("counts", "thread")]
        for name, isolation in kinds:
            with self.subTest(name + " in a " + isolation):
                self.gate = self.directory / ("gate of %s %s" % (name, isolation))
                called = name + "-" + isolation
                ini = self.ini(
                    "[experiment]\nmetric = loss\nmode = min\nname = x\nstorage = %s\n"
                    "num_samples = 1\n[trainable]\nname = %s\nisolation = %s\n"
                    '[space]\ngate = "%s"\n[checkpoint]\nfrequency = %d\n'
                    "[cluster]\nlocal = false\n"
                    % (called, name, isolation, self.gate, name == "counts"),
                    called + ".ini",
                )
                (self.directory / "results").unlink(missing_ok=True)
                (self.directory / "results").symlink_to(called)
                head, where = self.head(ini)
                first = self.far_worker(where, "first")
                self.wait_for_checkpoints(2, head)

                first.kill()
                second = self.far_worker(where, "second", "--once")
                self.wait_until(lambda: len(self.attempts()) == 2, head, "another attempt")
                self.gate.touch()

                self.finish(head)
                self.finish(second)
                self.assert_restored_elsewhere(2)
                counts = self.rows("SELECT metrics FROM results ORDER BY seq")
                self.assertIn('"n":5', counts[-1]["metrics"].replace(" ", ""))

    def test_one_that_was_spoilt_at_the_head_is_followed_by_the_one_before(self):
        head, where = self.head(self.remote_ini())
        first = self.far_worker(where, "first")
        self.wait_for_checkpoints(2, head)
        first.kill()
        newest = self.experiment_directory() / self.checkpoints()[1]["location"]
        (newest / "noise").write_bytes(b"x" * 1000)

        second = self.far_worker(where, "second", "--once")
        self.open_gate()

        self.finish(head)
        self.finish(second)
        ends = self.attempts()
        self.assertEqual(
            [row["end_class"] for row in ends], ["node_lost", "bad_checkpoint", "finished"]
        )
        self.assertIn("noise does not fit", ends[1]["detail"])
        self.assertEqual(self.iterations(ends[2]["attempt"])[0], 2)

    def test_a_head_that_dies_in_the_middle_of_a_transfer_goes_on_from_what_it_has(self):
        ini = self.remote_ini(size=300_000_000, frequency=2, steps=4)
        head, where = self.head(ini)
        worker = self.far_worker(where, "w")
        self.wait_until(
            lambda: any(
                x.stat().st_size > 10_000_000
                for draft in self.drafts()
                for x in draft.glob("noise")
            ),
            head,
            "a checkpoint that is half there",
        )

        head.kill()
        self.finish(head, None)
        self.assertEqual(self.checkpoints(), [])
        self.assertNotEqual(self.drafts(), [])
        port = int(where.rsplit(":", 1)[1])
        self.open_gate()
        head, where = self.head(ini, "--resume", port=port)

        self.finish(head)
        self.assertEqual(self.drafts(), [])
        self.assertEqual(self.rows("SELECT status FROM trials")[0]["status"], "TERMINATED")
        states = {row["training_iteration"]: row["state"] for row in self.checkpoints()}
        self.assertEqual(states, {2: "good", 4: "good"})
        worker.send_signal(signal.SIGTERM)
        self.finish(worker)
        self.assert_no_trial_processes()

    def test_nothing_is_copied_where_storage_is_shared(self):
        head, where = self.head(self.remote_ini())
        first = self.worker(where, "first")
        self.wait_for_checkpoints(2, head)
        work = list((self.directory / "work-first").rglob("checkpoint_*"))

        first.kill()
        second = self.worker(where, "second", "--once")
        self.wait_until(lambda: len(self.attempts()) == 2, head, "another attempt")
        self.open_gate()

        self.finish(head)
        self.finish(second)
        self.assertEqual(work, [])
        self.assert_restored_elsewhere(2)
        self.assertEqual(list((self.directory / "work-second").rglob("checkpoint_*")), [])
        self.assertFalse((self.experiment_directory() / ".tune_storage").exists())

    def test_a_worker_keeps_little_and_leaves_nothing(self):
        head, where = self.head(self.remote_ini(steps=6))
        worker = self.far_worker(where, "w")
        self.wait_for_checkpoints(2, head)
        copies = lambda: list((self.directory / "work-w" / "jobs").rglob("checkpoint_*"))
        self.wait_until(lambda: len(copies()) == 1, head, "one copy")
        self.open_gate()

        self.finish(head)
        self.assertEqual(len(self.checkpoints()), 6)
        self.wait_until(lambda: not copies(), worker, "an empty disk")
        worker.send_signal(signal.SIGTERM)
        self.finish(worker)

    def test_a_save_that_the_head_cannot_take_is_told_and_harms_nothing(self):
        head, where = self.head(self.remote_ini())
        self.wait_until(lambda: (self.experiment_directory() / "trials").is_dir(), head)
        trial = self.experiment_directory() / "trials" / "00000"
        trial.mkdir(exist_ok=True)
        worker = self.far_worker(where, "w", "--once")
        # The first attempt's folder is a file, so nothing can be put below it.
        (trial / "attempt_1_1").write_text("in the way")
        self.open_gate()

        self.finish(head)
        self.finish(worker)
        self.assertEqual(self.checkpoints(), [])
        told = self.rows("SELECT * FROM decisions WHERE action = 'save_failed'")
        self.assertNotEqual(told, [])
        self.assertIn("attempt_1_1", told[0]["reason"])
        self.assertEqual(self.attempts()[0]["end_class"], "finished")


if __name__ == "__main__":
    main()
