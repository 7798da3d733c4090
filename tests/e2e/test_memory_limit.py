# SPDX-License-Identifier: BSD-3-Clause
"""A head that gets no more memory: however it ends, its record is not harmed."""
import random
import resource
import unittest

from disk import LONG, SEED, DiskCase, Record
from e2e import FAULTY_NODE, main

MIB = 1 << 20


@unittest.skipUnless(LONG, "a campaign of the night; TUNE_LONG=1 runs it")
class MemoryLimit(DiskCase):
    def limited(self, limit, *more):
        def give_little():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        child = self.start(*self.words(*more), program=FAULTY_NODE, preexec_fn=give_little)
        return self.finish(child, None)

    def test_the_record_outlives_any_limit(self):
        draw = random.Random(SEED)
        ends = {}
        for number in range(150):
            # From too little to begin up to enough, in steps that differ each time.
            limit = (40 + draw.randrange(500)) * MIB + draw.randrange(MIB)
            with self.subTest(limit=limit, seed=SEED):
                where = self.fresh()

                ran = self.limited(limit)

                ends[ran.code] = ends.get(ran.code, 0) + 1
                self.note(runs=1)
                before = Record(where)
                self.assert_acknowledged(where, before)
                if before.events:
                    self.fsck(where)
                # A trial for which there was no thread may have failed for good.
                self.assertIn(ran.code, (0, 1, 5, 7), ran)
                if ran.code in (1, 7):
                    self.resume(where, before, counts=None)
        self.tell("memory_limit", ends=ends)


if __name__ == "__main__":
    main()
