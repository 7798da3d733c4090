# SPDX-License-Identifier: BSD-3-Clause
"""Files of a running head that are taken away, and locks that do not belong to a head."""
import json
import os
import shutil
import subprocess

from disk import Record, told_results
from e2e import FAULTY_NODE, main
from test_disk_places import Places


class TakenAway(Places):
    """Files of a running head that are removed, moved or replaced."""

    def waiting(self, experiment):
        """Starts a head whose trial has reported and waits. @returns its directory, and the
        head."""
        where = self.gated(experiment=experiment)
        child = self.start(*self.words(), program=FAULTY_NODE)
        self.wait_for_checkpoints(2, child)
        self.wait_until(lambda: len(told_results(where)) >= 2, child)
        return where, child

    def take_away(self, *names):
        def remove(where):
            for name in names:
                (where / name).unlink()
        return remove

    def test_nothing_acknowledged_goes_with_the_write_ahead_log(self):
        log = "experiment.db-wal"
        ways = {
            "removed": self.take_away(log),
            "moved": lambda x: os.rename(x / log, x / "old"),
            "replaced": lambda x: ((x / "new").write_bytes(b"x" * 100_000), os.rename(x / "new", x / log)),
            "an older copy": lambda x: (shutil.copy(x / log, x / "new"), os.rename(x / "new", x / log)),
            "a named pipe": lambda x: ((x / log).unlink(), os.mkfifo(x / log)),
            "a directory": lambda x: ((x / log).unlink(), (x / log).mkdir()),
            "shared memory": self.take_away("experiment.db-shm"),
            "all beside": self.take_away(log, "experiment.db-shm", "lock"),
        }
        for i, (name, change) in enumerate(ways.items()):
            with self.subTest(name):
                where, child = self.waiting("w%d" % i)
                told = told_results(where)
                change(where)
                self.gate.touch()

                ran = self.finish(child, 7)

                self.told_in_one_line(ran, "was removed, moved or replaced while it was in use",
                                      "nothing recorded is lost with it", "--resume")
                before = Record(where)
                self.assertLessEqual(told | told_results(where), before.results)
                self.assertEqual(self.go("--resume").json()["counts"]["TERMINATED"], 1)
                self.assertLessEqual(before.results, Record(where).results)

    def test_nothing_is_acknowledged_behind_the_end_of_a_log_that_was_cut(self):
        where, child = self.waiting("cut")
        os.truncate(where / "experiment.db-wal", 0)
        self.gate.touch()

        ran = self.finish(child, 7)

        self.told_in_one_line(ran, "experiment.db-wal", "was cut short or written over")
        self.damaged.add("cut")

    def test_nothing_is_acknowledged_once_the_database_is_cut(self):
        for left in (0, 4096, -4096):
            with self.subTest(left=left):
                name = "db%d" % left
                where, child = self.waiting(name)
                file = where / "experiment.db"
                os.truncate(file, left if left >= 0 else file.stat().st_size + left)
                self.gate.touch()

                ran = self.finish(child, 7)

                self.told_in_one_line(ran, "experiment.db: was cut short or written over while it was in use")
                self.damaged.add(name)

    def test_nothing_is_lost_with_the_memory_that_readers_share_when_it_is_cut(self):
        where, child = self.waiting("memory")
        told = told_results(where)
        os.truncate(where / "experiment.db-shm", 0)
        self.gate.touch()

        ran = self.finish(child, 7)

        self.told_in_one_line(ran, "experiment.db-shm: was cut short while it was in use", "--resume")
        self.assertEqual(self.go("--resume").json()["counts"]["TERMINATED"], 1)
        self.assertLessEqual(told, Record(where).results)

    def test_a_head_makes_its_lock_anew_and_goes_on(self):
        where, child = self.waiting("lock")
        (where / "lock").unlink()
        self.gate.touch()

        self.assertEqual(self.finish(child).json()["counts"]["TERMINATED"], 1)

    def test_a_reader_keeps_nobody_out(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become somebody else")
        os.chmod(self.directory, 0o755)
        where, child = self.waiting("read")
        child.kill()
        self.finish(child, None)
        self.gate.touch()
        # As left by older versions, and by this one.
        for mode in (0o644, 0o600):
            with self.subTest(mode=oct(mode)):
                os.chmod(where / "lock", mode)
                reader = subprocess.Popen(
                    ["flock", "--nonblock", where / "lock", "sh", "-c", "echo locked; exec cat"],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                    text=True, cwd="/", user=65534, group=65534, extra_groups=[],
                )
                try:
                    took = reader.stdout.readline()
                    self.assertEqual(took, "locked\n" if mode == 0o644 else "")
                    self.assertFalse(json.loads(
                        self.run_node("status", where, "-o", "json", program=FAULTY_NODE).out
                    )["led"])

                    self.assertEqual(self.go("--resume").json()["counts"]["TERMINATED"], 1)

                    self.assertEqual((where / "lock").stat().st_mode & 0o777, 0o600)
                finally:
                    reader.communicate()


if __name__ == "__main__":
    main()
