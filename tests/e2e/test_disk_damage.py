# SPDX-License-Identifier: BSD-3-Clause
"""Files of an experiment that were cut short or in which bytes changed, while no process held
them.

tests/io/damage_test.cpp tries every byte of the record below the program; here the program itself
resumes, refuses, and checks.
"""
import json
import random
import shutil
import subprocess
import unittest

from disk import DiskCase, LONG, Record, SEED, copy_experiment, readable
from e2e import DEADLINE, FAULTY_NODE, TUNE_NODE, clean_environment, main


class Damage(DiskCase):
    def setUp(self):
        super().setUp()
        self.where = self.fresh()
        self.random = random.Random("%d %s" % (SEED, self.id()))

    def killed(self):
        """Kills a head in the middle of a run, with much in its write-ahead log."""
        child = self.start(*self.words(), program=FAULTY_NODE)
        self.wait_until(
            lambda: (self.where / "experiment.db-wal").exists()
            and len(Record(self.where).results) >= 6,
            child,
        )
        child.kill()
        self.finish(child, None)
        self.keep()

    def finished(self):
        self.finish(self.start(*self.words(), program=FAULTY_NODE))
        self.keep()

    def keep(self):
        self.kept = self.directory / "kept"
        copy_experiment(self.where, self.kept)
        self.before = Record(self.kept)

    def restore(self):
        shutil.rmtree(self.where)
        copy_experiment(self.kept, self.where)

    def damage(self, name, change):
        """Applies `change` to the bytes of a file."""
        self.restore()
        path = self.where / name
        path.write_bytes(change(bytearray(path.read_bytes())))
        self.note(positions=1)

    def ask(self, program, *words):
        return subprocess.run(
            [program, *map(str, words)], capture_output=True, text=True, timeout=DEADLINE,
            cwd=self.directory, env=clean_environment(), stdin=subprocess.DEVNULL,
        )

    def judge(self, lossless):
        """Checks that the next head goes on from an acknowledged state, or refuses in one line.

        @param lossless If it goes on, nothing may be lost."""
        checked = self.ask(TUNE_NODE, "fsck", self.where)
        self.assertIn(checked.returncode, (0, 7), checked.stdout + checked.stderr)
        ran = self.ask(FAULTY_NODE, *self.words("--resume"))
        told = ran.stderr + "\n" + checked.stdout + checked.stderr
        self.assertIn(ran.returncode, (0, 7), told)
        self.assertTrue(readable(ran.stderr), told)
        if ran.returncode == 7:
            self.note(refused=1)
            self.assertEqual(len(ran.stderr.splitlines()), 1, told)
            self.assertIn("experiment.db", ran.stderr)
            self.assertEqual(checked.returncode, 7, told)
            return
        self.note(went_on=1, found_by_fsck=checked.returncode == 7)
        self.assertEqual(json.loads(ran.stdout)["status"], "done")
        after = Record(self.where)
        if not after.readable:
            # The damage is in a view, which is for people; a head does not read it.
            self.assertTrue(lossless)
            return
        same = 0
        cut_back = False
        while same < len(self.before.events) and self.before.events[same] == after.events[same]:
            same += 1
        if same < len(self.before.events):
            self.assertFalse(lossless, told)
            self.assertEqual(after.events[same][2], "opened", "no prefix: %d" % same)
            self.note(cut_back=1)
            cut_back = True
        elif checked.returncode == 7:
            return  # in rows for people, which fsck named
        again = self.ask(TUNE_NODE, "fsck", self.where)
        self.assertEqual(again.stdout.splitlines()[:-1], [], again.stdout + again.stderr)
        self.assert_files(self.where, after, cut_back)

    def flips(self, size, few):
        for at in sorted(self.random.sample(range(size), min(size, few * (40 if LONG else 1)))):
            yield at, 1 << self.random.randrange(8)

    def flip_some(self, name, few, lossless):
        for at, bit in self.flips((self.kept / name).stat().st_size, few):
            with self.subTest(name, flipped=at, bit=bit, seed=SEED):
                def change(data):
                    data[at] ^= bit
                    return data

                self.damage(name, change)
                self.judge(lossless)

    def cut_some(self, name, few, lossless):
        for at, _ in self.flips((self.kept / name).stat().st_size, few):
            with self.subTest(name, cut=at, seed=SEED):
                self.damage(name, lambda data: data[:at])
                self.judge(lossless)

    def test_a_write_ahead_log_is_cut_back_or_refused(self):
        self.killed()
        self.flip_some("experiment.db-wal", 4, False)
        self.cut_some("experiment.db-wal", 3, False)
        self.tell("damaged_wal", bytes=(self.kept / "experiment.db-wal").stat().st_size)
        self.damaged.add(self.name)
        self.damaged.add(self.kept.name)

    def test_a_database_goes_on_whole_or_is_refused(self):
        self.finished()
        # Otherwise there is nothing to resume.
        resume = self.words
        self.words = lambda *more: resume(*more, "--experiment.num_samples", "3")
        self.flip_some("experiment.db", 4, True)
        self.cut_some("experiment.db", 2, True)
        self.tell("damaged_database", bytes=(self.kept / "experiment.db").stat().st_size)
        self.damaged.add(self.name)

    def test_a_lost_database_is_not_begun_again(self):
        self.finished()
        for text in (None, b""):
            with self.subTest(text):
                self.restore()
                (self.where / "experiment.db").unlink()
                if text is not None:
                    (self.where / "experiment.db").write_bytes(text)
                for more in ([], ["--resume"]):
                    ran = self.ask(FAULTY_NODE, *self.words(*more))
                    self.assertEqual(ran.returncode, 7, ran)
                    self.assertIn("holds trials: restore it", ran.stderr)
        self.damaged.add(self.name)


if __name__ == "__main__":
    main()
