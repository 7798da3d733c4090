# SPDX-License-Identifier: BSD-3-Clause
"""A worker behind a connection that fails in every way, again and again, for minutes.

  flap_loop.py SEED SECONDS

prints one line of JSON. In the end every trial must have ended, no report may be there twice, and
the record must be whole. A failure prints its seed.
"""
import json
import random
import sys
import time
import unittest

from test_leases import LOST_AFTER, Leases

TRIALS = 4


class FlapLoop(Leases):
    def conduct(self, seed, seconds):
        chance = random.Random(seed)
        head, where = self.head_of(samples=TRIALS)
        relay = self.relay(where)
        workers = [self.worker_of(relay.where, "one", cpus=2), self.worker_of(where, "two")]
        self.wait_for_attempts(3, head)
        troubles = {"cut": 0, "stall": 0, "short stall": 0}
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            what = chance.choice(sorted(troubles))
            troubles[what] += 1
            if what == "cut":
                relay.cut(refuse=chance.random() < 0.5)
            else:
                relay.stall(*chance.choice((("up",), ("down",), ("up", "down"))))
            longest = LOST_AFTER / 3 if what == "short stall" else 2.5 * LOST_AFTER
            time.sleep(chance.uniform(0.1, longest))
            relay.mend()
            time.sleep(chance.uniform(0, 2 * LOST_AFTER))
            self.assertIsNone(head.poll(), "the head ended, seed %d" % seed)
        self.open_gate()
        self.finish(head)
        statuses = self.rows("SELECT status, count(*) AS n FROM trials GROUP BY 1")
        self.assertEqual(statuses, [{"status": "TERMINATED", "n": TRIALS}], "seed %d" % seed)
        downs = self.downs("one")
        self.assert_heard_once("one", max(downs, default=0))
        self.assertLessEqual(len(self.rows("SELECT * FROM nodes")), 2, "seed %d" % seed)
        self.assertEqual(self.downs("two"), [], "seed %d" % seed)
        for worker in workers:
            worker.terminate()
            self.finish(worker)
        self.assert_no_trial_processes()
        return {"measure": "flapping", "seed": seed, "losses": len(downs), **troubles}


def main():
    seed, seconds = int(sys.argv[1]), float(sys.argv[2])
    told = []

    class Campaign(FlapLoop):
        def runTest(self):
            told.append(self.conduct(seed, seconds))

    result = unittest.TextTestRunner(verbosity=0).run(Campaign())
    for line in told:
        print(json.dumps(line))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
