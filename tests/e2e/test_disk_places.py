# SPDX-License-Identifier: BSD-3-Clause
"""Places that cannot be written any more, that are full, or that lose power; checkpoints that have
changed."""
import contextlib
import fcntl
import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys

from disk import LONG, DiskCase, Record, copy_experiment, readable, told_results
from e2e import FAULTY_NODE, main

# The request of `xfs_io -c shutdown` to a file system: everything not flushed is lost.
SHUTDOWN, WITHOUT_LOG = 0x8004587D, 2

# One trial that counts to five and waits at its gate before the third step.
GATED = """[experiment]
metric = loss
mode = min
num_samples = 1
[trainable]
name = counts
isolation = thread
[space]
gate = "%s"
bytes = %d
[checkpoint]
frequency = 1
[failure]
backoff = 0
%s
"""


class Places(DiskCase):
    def mount(self, place, *options, of="tmpfs"):
        """Mounts a file system until the end of the test, which is skipped if mounting is
        impossible."""
        if os.geteuid() != 0:
            self.skipTest("only root can mount")
        place.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["mount", *options, of, place], capture_output=True, text=True
        )
        if done.returncode != 0:
            self.skipTest("no mounting here: " + done.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", "-l", place], capture_output=True)
        return place

    def told_in_one_line(self, ran, *parts):
        lines = [x for x in ran.err.splitlines() if not x.startswith("trial ")]
        self.assertEqual(len(lines), 1, ran)
        self.assertTrue(readable(lines[0]), lines)
        for part in parts:
            self.assertIn(part, lines[0])

    def gated(self, size=0, more="", experiment="x"):
        self.gate = self.directory / "go on"
        self.gate.unlink(missing_ok=True)
        self.name = experiment
        self.script = self.ini(GATED % (self.gate, size, more), experiment + ".ini")
        return self.directory / "results" / experiment

    def wait_for_checkpoints(self, count, child):
        self.wait_until(
            lambda: len(self.rows_if_any("SELECT * FROM checkpoints", self.name)) >= count, child
        )

    def go(self, *more, code=0):
        return self.finish(self.start(*self.words(*more), program=FAULTY_NODE), code)


class Unusable(Places):
    def as_nobody(self, *words, code):
        def become_nobody():
            os.setgid(65534)
            os.setuid(65534)

        if os.geteuid() != 0:
            self.skipTest("only root can become somebody else")
        os.chmod(self.directory, 0o755)
        child = self.start(*words, program=FAULTY_NODE, preexec_fn=become_nobody)
        return self.finish(child, code)

    def test_a_read_only_place_is_told(self):
        place = self.mount(self.directory / "results", "-t", "tmpfs", "-o", "size=4m,ro")
        self.name = "x1"

        ran = self.go(code=7)

        self.told_in_one_line(ran, str(place / "x1"), "Read-only file system")

    def test_an_experiment_in_a_read_only_place_is_read_and_not_gone_on_with(self):
        place = self.mount(self.directory / "results", "-t", "tmpfs", "-o", "size=16m")
        self.name = "x1"
        first = self.go().json()
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)

        ran = self.go("--resume", "--experiment.num_samples", "3", code=7)
        shown = self.go("--resume").json()

        self.told_in_one_line(ran, "Read-only file system")
        self.assertEqual(shown["counts"], first["counts"])

    def test_what_trials_print_leaves_room_for_the_record(self):
        place = self.mount(self.directory / "results", "-t", "tmpfs", "-o", "size=32m")
        says = self.directory / "says.py"
        says.write_text(
            "print('first line')\nfor i in range(800):\n    print('x' * 65535)\n"
            "print('last line\\nloss=1', flush=True)\n"
        )
        ini = self.ini(
            "[experiment]\nname = loud\nstorage = results\nmetric = loss\nmode = min\n"
            "num_samples = 2\n[trainable]\ncommand = %s %s {x}\nmetric.loss = loss={number}\n"
            "[space]\nx = uniform(0, 1)\n" % (sys.executable, says)
        )

        ran = self.run_node("run", ini)

        self.assertIn("is kept for the record", ran.err)
        self.assertGreater(shutil.disk_usage(place).free, 1 << 20)
        printed = (place / "loud/trials/00000/stdout").read_text()
        self.assertTrue(printed.startswith("first line\n"))
        self.assertIn("bytes left out here", printed)
        self.assertTrue(printed.endswith("last line\nloss=1\n"))
        self.run_node("fsck", "results/loud")

    def test_a_place_of_somebody_else_is_told(self):
        (self.directory / "results").mkdir(mode=0o755)
        self.name = "x1"

        ran = self.as_nobody(*self.words(), code=7)

        self.told_in_one_line(ran, str(self.directory / "results/x1"), "Permission denied")

    def test_an_experiment_of_somebody_else_is_left_alone(self):
        where = self.fresh()
        self.go()
        before = Record(where)

        ran = self.as_nobody(*self.words("--resume", "--experiment.num_samples", "3"), code=7)

        self.told_in_one_line(ran, "x1", "Permission denied")
        self.assertEqual(Record(where).events, before.events)

    def test_names_that_are_too_long_are_told(self):
        self.name = "x" * 300

        ran = self.go(code=3)

        self.told_in_one_line(ran, "[experiment] name", "at most 200 bytes")
        self.name = "x"
        ran = self.go("--experiment.storage", "y" * 300, code=7)
        self.told_in_one_line(ran, "File name too long")

    def test_a_directory_that_goes_away_ends_the_run_and_may_come_back(self):
        where = self.gated()
        child = self.start(*self.words(), program=FAULTY_NODE)
        self.wait_for_checkpoints(2, child)
        os.rename(where, self.directory / "elsewhere")
        self.gate.touch()

        ran = self.finish(child, 7)

        self.told_in_one_line(ran, "was removed, moved or replaced while it was in use")
        shutil.rmtree(where, ignore_errors=True)
        os.rename(self.directory / "elsewhere", where)
        self.assertEqual(self.go("--resume").json()["counts"]["TERMINATED"], 1)

    def test_a_place_without_inodes_is_told_at_the_start(self):
        # Inodes run out for directories, for the database's files, or for a trial's files.
        for inodes in (2, 4, 5, 6, 8, 12, 18):
            with self.subTest(inodes):
                place = self.mount(
                    self.directory / "results", "-t", "tmpfs", "-o",
                    "size=16m,mode=755,nr_inodes=%d" % inodes
                )
                self.name = "x1"

                ran = self.go(code=7)

                self.told_in_one_line(ran, "x1", "No space left on device")
                self.assertEqual(list(place.iterdir()), [])
                subprocess.run(["umount", place], check=True)

    def test_inodes_that_run_out_later_leave_the_experiment_off_in_order(self):
        place = self.mount(
            self.directory / "results", "-t", "tmpfs", "-o", "size=16m,mode=755,nr_inodes=24"
        )
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 9\n[trainable]\n"
            "command = /bin/echo loss={x}\nmetric.loss = loss={number}\n[space]\nx = 1\n"
            "[cluster]\ncpus = 1\n", "many.ini"
        )

        ran = self.run_node("run", ini, "-o", "json", code=75)

        told = ran.json()
        self.assertEqual(told["status"], "interrupted")
        self.assertGreater(told["counts"]["PENDING"], 0)
        self.assertIn("No space left on device", ran.err)
        subprocess.run(["mount", "-o", "remount,nr_inodes=1000", place], check=True)
        told = self.run_node("resume", "results/many", "-o", "json").json()
        self.assertEqual(told["counts"]["TERMINATED"], 9)


class Full(Places):
    def test_a_run_goes_on_when_the_disk_has_room_again(self):
        place = self.mount(self.directory / "results", "-t", "tmpfs", "-o", "size=300k")
        self.name = "x1"
        ran = self.finish(self.start(*self.words(), program=FAULTY_NODE), 7)
        self.told_in_one_line(ran)
        self.assertRegex(ran.err, "disk is full|No space left")
        before = Record(place / "x1")
        self.assert_acknowledged(place / "x1", before)
        self.assertGreater(len(before.events), 0)
        self.fsck(place / "x1")

        subprocess.run(["mount", "-o", "remount,size=32m", place], check=True)

        self.resume(place / "x1", before)

    def test_a_checkpoint_without_room_fails_and_the_one_before_stays(self):
        for limit, filler in (("size=1m", 600_000), ("size=4m,nr_inodes=24", 0)):
            with self.subTest(limit):
                where = self.gated(200_000, "[checkpoint]\nkeep = 1\n", "y" + limit[5])
                place = self.mount(where / "trials", "-t", "tmpfs", "-o", limit)
                self.damaged.add(self.name)  # once the disk is gone
                child = self.start(*self.words(), program=FAULTY_NODE)
                self.wait_for_checkpoints(2, child)
                fill = place / "filler"
                if filler:
                    fill.write_bytes(b"x" * filler)
                else:
                    fill.mkdir()
                    with self.assertRaises(OSError):
                        for i in range(1000):
                            (fill / str(i)).touch()
                self.gate.touch()

                told = self.finish(child).json()

                self.assertEqual(told["counts"]["TERMINATED"], 1)
                failed = self.rows(
                    "SELECT reason FROM decisions WHERE action = 'save_failed'", self.name
                )
                self.assertGreaterEqual(len(failed), 1)
                self.assertIn("attempt_1_1/checkpoint_", told["best"]["checkpoint"])
                good = Record(where).checkpoints
                self.assertEqual([state for _, state in good].count("good"), 1, good)
                self.assertEqual(list(place.rglob("*.tmp")), [])
                self.fsck(where)
                shutil.rmtree(fill) if fill.is_dir() else fill.unlink()


class Spoilt(Places):
    """Checkpoints that have changed by the time the next attempt wants them."""

    def setUp(self):
        super().setUp()
        self.where = self.gated(2000)
        child = self.start(*self.words(), program=FAULTY_NODE)
        self.wait_for_checkpoints(2, child)
        child.kill()
        self.finish(child, None)
        self.gate.touch()
        self.kept = self.directory / "kept"
        copy_experiment(self.where, self.kept)
        self.damaged.add("kept")

    def spoil(self, change):
        shutil.rmtree(self.where)
        copy_experiment(self.kept, self.where)
        older, newest = sorted(self.where.glob("trials/*/*/checkpoint_*"))
        change(older, newest)

    def go_on(self, code=0):
        told = self.go("--resume", code=code).json()
        attempts = self.rows("SELECT * FROM attempts ORDER BY started, attempt", self.name)
        self.fsck(self.where)
        return told, attempts

    def test_the_one_before_takes_its_place(self):
        manifest = ".tune_checkpoint.json"
        changes = {
            "cut": lambda _, x: os.truncate(x / "n", 0),
            "cut in the middle": lambda _, x: os.truncate(x / "ballast", 1000),
            "flipped": lambda _, x: (x / "n").write_text("3"),
            "without a file": lambda _, x: (x / "n").unlink(),
            "gone": lambda _, x: shutil.rmtree(x),
            "a file": lambda _, x: (shutil.rmtree(x), x.write_text("no directory")),
            "another one": lambda y, x: (shutil.rmtree(x), shutil.copytree(y, x)),
            "huge": lambda _, x: os.truncate(x / "ballast", 1 << 40),
            "huge in its list": lambda _, x: os.truncate(x / manifest, 1 << 40),
            "cut in its list": lambda _, x: os.truncate(x / manifest, 50),
            "unreadable": lambda _, x: ((x / "n").unlink(), (x / "n").symlink_to("n")),
        }
        for name, change in changes.items():
            with self.subTest(name):
                self.spoil(change)

                told, attempts = self.go_on()

                self.assertEqual(told["counts"]["TERMINATED"], 1)
                ends = [row["end_class"] for row in attempts]
                # A missing checkpoint is noticed before an attempt is wasted on it.
                spent = [] if name == "gone" else ["bad_checkpoint"]
                self.assertEqual(ends[:-1], ["interrupted", *spent])
                self.assertIn(ends[-1], ("finished", "stopped"))
                if spent:
                    self.assertIn("checkpoint_000002", attempts[1]["detail"])
                first = self.rows(
                    "SELECT training_iteration FROM results WHERE attempt = '%s' ORDER BY seq"
                    % attempts[-1]["attempt"], self.name,
                )[0]
                self.assertEqual(first["training_iteration"], 2)

    def test_none_is_swept_because_of_a_row_for_people(self):
        for change in (
            "UPDATE t_checkpoints SET location = replace(location, '00000/', '00001/')",
            "UPDATE t_checkpoints SET state = 'gone'",
            "UPDATE t_checkpoints SET trial = 7",
            "DELETE FROM t_checkpoints",
        ):
            with self.subTest(change):
                self.spoil(lambda *_: None)
                with contextlib.closing(sqlite3.connect(self.where / "experiment.db")) as db:
                    db.execute(change)
                    db.commit()

                told = self.go("--resume").json()

                self.assertEqual(told["counts"]["TERMINATED"], 1)
                attempts = self.rows("SELECT * FROM attempts ORDER BY started", self.name)
                self.assertEqual(len(attempts), 2)
                self.assertEqual(attempts[1]["start_checkpoint"], 2)
        self.damaged.add(self.name)

    def test_without_a_good_one_the_trial_ends_and_does_not_begin_again(self):
        def both(older, newest):
            for x in (older, newest):
                os.truncate(x / "n", 0)

        self.spoil(both)

        told, attempts = self.go_on(code=5)

        self.assertEqual(told["counts"]["ERRORED"], 1)
        self.assertEqual(
            [row["end_class"] for row in attempts],
            ["interrupted", "bad_checkpoint", "bad_checkpoint"],
        )


class PowerLoss(Places):
    """A file system that loses everything not flushed, while the head works."""

    def lose_power(self, image, place, results):
        self.mount(place, "-o", "loop", of=image)
        (place / "results").mkdir()
        self.name = "x1"
        child = self.start(*self.words(), program=FAULTY_NODE)
        where = place / "results" / "x1"
        self.wait_until(lambda: len(told_results(where)) >= results, child)
        told = told_results(where)
        handle = os.open(place, os.O_RDONLY)
        try:
            fcntl.ioctl(handle, SHUTDOWN, struct.pack("I", WITHOUT_LOG))
        except OSError as why:
            self.skipTest("the file system cannot be shut down: %s" % why)
        finally:
            os.close(handle)
        ran = self.finish(child, None)
        subprocess.run(["umount", place], check=True)
        subprocess.run(["mount", "-o", "loop", image, place], check=True)
        self.note(cuts=1, acknowledged=len(told))
        self.pretend_to_boot(where / "trials" / ".trial_files")
        return where, told, ran

    @staticmethod
    def pretend_to_boot(mark):
        """Only a machine that went down loses data that were not flushed, but this machine did
        not."""
        if mark.exists():
            mark.write_text(re.sub(r'"boot":"[^"]*"', '"boot":"the one before"', mark.read_text()))

    def test_what_was_acknowledged_is_there_afterwards(self):
        if shutil.which("mkfs.ext4") is None:
            self.skipTest("no mkfs.ext4 here")
        for results in range(1, 22) if LONG else [7]:
            with self.subTest(results=results):
                image = self.directory / "disk"
                with open(image, "wb") as file:
                    file.truncate(64 << 20)
                subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
                place = self.directory / "place"
                (self.directory / "results").unlink(missing_ok=True)
                (self.directory / "results").symlink_to(place / "results")
                place.mkdir(exist_ok=True)
                where, told, ran = self.lose_power(image, place, results)
                try:
                    before = Record(where)
                    self.assertLessEqual(told, before.results)
                    self.assertIn(ran.code, (0, 7), ran)
                    self.resume(where, before)
                finally:
                    subprocess.run(["umount", place], check=True)
        self.tell("power_loss")


if __name__ == "__main__":
    main()
