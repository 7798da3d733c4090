# SPDX-License-Identifier: BSD-3-Clause
"""Pauses whose checkpoint lies in a node's memory, and exports at the end of a trial."""
import os
import signal
import sys
from pathlib import Path

from controlled import ControlCase, SteppingOnWorkers
from e2e import TUNE_NODE, main

MEMORY = Path("/dev/shm/tune-node-%d" % os.geteuid())
IN_MEMORY = "[checkpoint]\npause_storage = memory\n"


def in_memory_of(process):
    """Files of paused trials that this process keeps in memory."""
    parts = MEMORY.glob("%d-*" % process.pid)
    return sorted(x.name for part in parts for x in part.rglob("*") if x.is_file())


def without_memory():
    """The reason why these tests cannot run; empty if they can."""
    try:
        kinds = [x.split()[2] for x in Path("/proc/mounts").read_text().splitlines()
                 if x.split()[1] == "/dev/shm"]
    except OSError:
        kinds = []
    return "" if "tmpfs" in kinds and os.access("/dev/shm", os.W_OK) else "/dev/shm is no memory"


def other_programs():
    """Processes of this build that are no guards: programs of other tests."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            program = Path(os.readlink(process / "exe"))
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if Path(TUNE_NODE).resolve().parents[2] in program.parents and b"__tune-guard" not in words:
            found.append(words)
    return found


class Pausing(ControlCase):
    def setUp(self):
        super().setUp()
        if without_memory():
            self.skipTest(without_memory())

    def pause(self, more=IN_MEMORY):
        """Runs a trial until it has paused after its second step."""
        child = self.begin(self.stepping(samples=1, steps=4, more=more), running=1)
        self.let(0, 1)
        self.wait_until(lambda: self.iterations(0) == [1], child)
        self.control("pause", "0")
        self.let(0, 2)
        self.wait_for_status(child, 0, "PAUSED")
        return child

    def printed(self):
        return self.trial_file(0, "stdout").read_text().split("\n")

    def on_disk(self):
        return list((self.directory / self.where).rglob("checkpoint_*"))

    def checkpoints(self):
        rows = self.rows("SELECT * FROM checkpoints ORDER BY seq")
        return [(row["location"].split(":")[0], row["state"]) for row in rows]

    def test_a8_5_a_pause_in_memory_is_gone_on_with_and_leaves_the_disk_alone(self):
        child = self.pause()
        self.assertEqual(self.checkpoints(), [("memory", "good")])
        self.assertEqual(self.on_disk(), [])
        self.assertEqual(in_memory_of(child), [".tune_checkpoint.json", "step"])

        self.control("unpause", "0")
        self.let(0, 3)
        self.wait_until(lambda: self.checkpoints() == [("memory", "gone")], child)
        self.wait_until(lambda: in_memory_of(child) == [], child, "memory to be given back")
        self.let_all()
        self.finish(child)

        self.assertEqual(self.iterations(0), [1, 2, 3, 4])
        self.assertEqual(self.printed()[2:4], ["step 2", "from 2"])
        self.assertEqual(list(MEMORY.glob("%d-*" % child.pid)), [])

    def test_a8_5_after_an_error_the_checkpoint_on_disk_counts(self):
        child = self.pause(IN_MEMORY + "frequency = 1\n[failure]\nmax_failures = 1\n")
        (self.gates / "broken").touch()
        self.control("unpause", "0")
        self.wait_until(lambda: len(self.rows("SELECT * FROM attempts")) == 3, child)
        (self.gates / "broken").unlink()
        self.let_all()
        self.finish(child, None)

        starts = [line for line in self.printed() if line.startswith("from")]
        self.assertEqual(starts[1], "from 2")
        # Iteration 1 is the newest on disk, since that of iteration 2 was the pause.
        self.assertEqual(starts[2], "from 1")

    def test_what_has_no_room_in_memory_goes_to_disk_and_says_so(self):
        child = self.pause(IN_MEMORY + "pause_memory = 0\n")
        self.assertEqual(len(self.on_disk()), 1)
        self.control("unpause", "0")
        self.let_all()
        told = self.finish(child)

        self.assertIn("has no room for it in memory", told.err)
        self.assertEqual(self.iterations(0), [1, 2, 3, 4])

    def test_a_head_that_is_killed_loses_it_and_the_next_clears_up(self):
        child = self.pause(IN_MEMORY + "frequency = 1\n")
        left = list(MEMORY.glob("%d-*" % child.pid))
        self.assertEqual(len(left), 1)
        child.kill()
        self.finish(child, None)
        # Any other head of this user that begins meanwhile, of another test, clears up.
        self.assertTrue(left[0].exists() or other_programs())
        self.let_all()

        again = self.begin(self.directory / "x.ini", "--resume")
        self.wait_for_statuses(again, PENDING=1)
        # Its client still holds the trial.
        self.control("unpause", "0")
        told = self.finish(again)

        self.assertEqual(told.json()["counts"]["TERMINATED"], 1)
        self.assertIn("what it paused with in memory was lost with its head", told.err)
        self.assertFalse(left[0].exists())
        self.assertEqual([x for x in self.printed() if x.startswith("from")], ["from 0", "from 1"])
        lost = self.rows("SELECT * FROM decisions WHERE action = 'pause_lost'")
        self.assertEqual(len(lost), 1)

    def test_a_run_that_is_interrupted_saves_what_runs_on_disk(self):
        said = self.directory / "said"
        with open(said, "w", encoding="utf-8") as err:
            child = self.begin(
                self.stepping(samples=1, steps=3, more=IN_MEMORY), running=1, stderr=err
            )
        self.let(0, 1)
        self.wait_until(lambda: self.iterations(0) == [1], child)
        child.send_signal(signal.SIGINT)
        # The next report must come after the interruption was heard.
        self.wait_until(lambda: "leaving off in order" in said.read_text(), child, "an answer")
        self.let(0, 2)
        self.finish(child, 130)

        self.assertEqual([x.name for x in self.on_disk()], ["checkpoint_000001"])
        self.assertEqual(list(MEMORY.glob("%d-*" % child.pid)), [])


class PausingOnWorkers(SteppingOnWorkers):
    def setUp(self):
        super().setUp()
        if without_memory():
            self.skipTest(without_memory())

    def paused(self, more=""):
        """Runs a trial on the worker "first" until it has paused after its second step."""
        head, where = self.head(self.stepping(4, IN_MEMORY + "frequency = 1\n" + more))
        first = self.worker(where, "first", "--own-storage")
        self.let(1)
        self.wait_until(lambda: self.reports() == [1], head)
        self.run_node("pause", "results/x", "0")
        self.let(2)
        self.wait_until(lambda: self.status() == ["PAUSED"], head, "the pause")
        return head, where, first

    def test_a_trial_goes_on_on_the_worker_that_has_it_in_memory(self):
        head, where, first = self.paused()
        second = self.worker(where, "second", "--own-storage")
        self.wait_until(
            lambda: len(self.rows_if_any("SELECT * FROM nodes WHERE state = 'up'")) == 2, head
        )
        self.assertEqual(in_memory_of(first), [".tune_checkpoint.json", "step"])
        self.run_node("unpause", "results/x", "0")
        self.let(3)
        self.wait_until(lambda: self.reports() == [1, 2, 3], head)
        self.wait_until(lambda: in_memory_of(first) == [], head, "memory to be given back")
        self.let(9)
        self.finish(head)

        self.assertEqual([row["node"] for row in self.attempts()], ["first", "first"])
        for worker in (first, second):
            worker.send_signal(signal.SIGINT)
            self.finish(worker)
        self.assertEqual(list(MEMORY.glob("%d-*" % first.pid)), [])

    def test_one_that_is_paused_goes_on_from_disk_when_its_worker_is_lost(self):
        head, where, first = self.paused()
        first.kill()
        self.wait_until(
            lambda: not self.rows("SELECT * FROM nodes WHERE state = 'up'"), head, "the loss"
        )
        self.run_node("unpause", "results/x", "0")
        second = self.worker(where, "second", "--own-storage")
        self.let(9)
        self.finish(head)

        ends = self.attempts()
        self.assertEqual([row["node"] for row in ends], ["first", "second"])
        # Iteration 2 was in memory only.
        self.assertEqual(self.reports(), [1, 2, 2, 3, 4])
        why = self.rows("SELECT * FROM decisions WHERE action = 'pause_lost'")
        self.assertEqual(len(why), 1)
        second.send_signal(signal.SIGINT)
        self.finish(second)


class Exporting(ControlCase):
    exports = "[trainable]\nexport = model, onnx\n"

    def rows_of_exports(self):
        return self.rows("SELECT * FROM exports ORDER BY seq, format")

    def assert_exported(self, step):
        model, onnx = self.rows_of_exports()
        path = self.directory / self.where / model["path"]
        self.assertEqual((path / "step").read_text(), str(step))
        self.assertIsNone(onnx["path"])
        self.assertIn("no onnx here", onnx["why"])

    def test_a_program_exports_at_its_end(self):
        self.let_all()
        told = self.run_node("run", self.stepping(samples=1, steps=3, more=self.exports))

        self.assert_exported(3)
        self.assertIn("its export as onnx failed", told.err)
        why = self.run_node("trials", self.where, "--why", "0", "-o", "json").json()
        self.assertEqual([x["format"] for x in why["exports"]], ["model", "onnx"])
        self.assertEqual(why["status"], "TERMINATED")
        text = self.run_node("trials", self.where, "--why", "0").out
        self.assertIn("exports", text)
        self.assertIn(self.rows_of_exports()[0]["path"], text)

    def test_a_program_exports_when_a_condition_stops_it(self):
        self.let_all()
        more = self.exports + "[stop]\ntraining_iteration = 2\n"
        self.run_node("run", self.stepping(samples=1, steps=9, more=more))

        self.assert_exported(2)

    def test_nothing_is_exported_of_a_trial_that_is_interrupted_until_it_ends(self):
        child = self.begin(self.stepping(samples=1, steps=3, more=self.exports), running=1)
        self.let(0, 1)
        self.wait_until(lambda: self.iterations(0) == [1], child)
        child.send_signal(signal.SIGINT)
        self.let(0, 2)
        self.finish(child, 130)
        self.assertEqual(self.rows_of_exports(), [])

        self.let_all()
        self.run_node("run", "x.ini", "--resume")
        self.assert_exported(3)
        # The export stays when the directory is swept.
        self.run_node("fsck", self.where)

    def test_a_class_exports(self):
        ini = self.ini(
            "[experiment]\nmetric = accuracy\nnum_samples = 1\n[trainable]\nname = digits_mlp\n"
            "export = weights\n[space]\nlr = 0.05\n[stop]\ntraining_iteration = 1\n"
        )
        self.run_node("run", ini)

        row = self.rows_of_exports()[0]
        self.assertEqual((row["format"], row["why"]), ("weights", "it does not know this format"))

    def test_what_cannot_export_is_refused(self):
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\n[trainable]\nname = quadratic\n"
            "export = model\n[space]\nx = 1\n"
        )
        told = self.run_node("run", ini, code=3)

        self.assertIn("export: has no meaning for kind = function", told.err)


class ExportingOnWorkers(SteppingOnWorkers):
    def test_exports_are_brought_to_the_head(self):
        self.let(3)
        ini = self.stepping(3, "[trainable]\nexport = model")
        head, where = self.head(ini)
        worker = self.worker(where, "first", "--own-storage", "--once")
        self.finish(head)
        self.finish(worker)

        row = self.rows("SELECT * FROM exports")[0]
        path = self.directory / "results" / "x" / row["path"]
        self.assertEqual((path / "step").read_text(), "3")


if __name__ == "__main__":
    main()
