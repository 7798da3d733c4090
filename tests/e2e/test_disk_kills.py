# SPDX-License-Identifier: BSD-3-Clause
"""A head that is killed at any of its writes, syncs, renames and removals (needs strace)."""
import random
import unittest

from disk import LONG, SEED, DiskCase, Record, why_no_strace
from e2e import main

# Calls that change the disk, by strace's names, counted per thread, with the numbers at which the
# short form kills.
CALLS = {"write": [3, 17], "pwrite64": [3, 60], "fsync": [3, 17], "fdatasync": [2, 17],
         "rename": [1], "renameat": [17], "unlink": [2], "unlinkat": [3], "rmdir": [2, 14], "ftruncate": [1], "mkdir": [5]}
# Differences between runs may let one of these pass without a kill, but not several.
PASSES = 3


@unittest.skipIf(why_no_strace(), why_no_strace())
class Kills(DiskCase):
    def kill_at(self, call, number):
        """@returns whether the run reached the call."""
        where = self.fresh()
        # The call is not carried out: a kill before a call is one after the previous call.
        first = self.spoilt("%s:signal=KILL:when=%d" % (call, number))
        if first.returncode == 0:
            return False
        self.assertEqual(first.returncode, -9, first.stdout + first.stderr)
        self.note(kills=1)
        before = Record(where)
        self.assert_acknowledged(where, before)
        if LONG and number % 4 == 0:
            before = self.kill_again(where, before)
        self.resume(where, before)
        return True

    def kill_again(self, where, before):
        """The next head is killed soon, too."""
        number = random.Random("%d %s" % (SEED, self.name)).randint(1, 60)
        again = self.spoilt("pwrite64,fdatasync,fsync:signal=KILL:when=%d" % number, "--resume")
        if again.returncode == 0:
            return Record(where)
        self.assertEqual(again.returncode, -9, again.stdout + again.stderr)
        self.note(kills=1, restarts=1)
        after = Record(where)
        self.assertEqual(after.events[: len(before.events)], before.events)
        return after

    def test_every_restart_recovers(self):
        reached = {}
        for call, sample in CALLS.items():
            passed = 0
            for number in range(1, 10_000) if LONG else sample:
                with self.subTest(call=call, number=number, seed=SEED):
                    came = self.kill_at(call, number)
                    passed = 0 if came else passed + 1
                    reached[call] = number if came else reached.get(call, 0)
                if passed == PASSES:
                    break
        self.tell("kill_at_every_call", reached=reached)
        self.assertGreaterEqual(self.figures["kills"], len(CALLS))
        for call in ("pwrite64", "fdatasync", "fsync", "renameat"):
            self.assertGreaterEqual(reached[call], 17, call)


if __name__ == "__main__":
    main()
