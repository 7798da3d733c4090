# SPDX-License-Identifier: BSD-3-Clause
"""The short form of nemesis.py, which scripts/nightly.sh runs in full."""
import random
import tempfile
import unittest
from pathlib import Path

from chain_log import ChainLog
from e2e import main
from nemesis import RunNemesis, StandingNemesis, plan_of

# Duration of the faults.
SECONDS = 15


class Runs(RunNemesis):
    def test_promotions_outlive_whoever_sleeps_or_dies(self):
        self.round(1, "promotion", SECONDS)


class Standing(StandingNemesis):
    def test_populations_outlive_whoever_sleeps_or_dies(self):
        self.round(2, "pbt", SECONDS)


class Witnesses(unittest.TestCase):
    """The trials' own log shows what must not happen."""

    def log_of(self, *lines):
        holder = tempfile.TemporaryDirectory(prefix="tune-e2e-")
        self.addCleanup(holder.cleanup)
        path = Path(holder.name) / "log"
        path.write_text("".join(x + " 77\n" for x in lines))
        return ChainLog(path)

    def test_attempts_that_two_processes_begin_are_named(self):
        log = self.log_of("begin 00003 1.4 0", "begin 00003 1.5 2", "begin 00003 1.4 0")

        self.assertEqual(log.begun_twice(), [(3, "1.4")])

    def test_one_step_may_be_under_way_and_one_answer_while_the_next_attempt_begins(self):
        before = ("begin 00003 1.4 0", "step 00003 1.4 1", "begin 00003 1.5 0")

        self.assertEqual(self.log_of(*before, "step 00003 1.4 2").trained_on(), [])
        self.assertEqual(
            self.log_of(*before, "step 00003 1.4 2", "step 00003 1.4 3").trained_on(), [(3, "1.4")]
        )

    def test_answers_and_neighbours_are_remembered(self):
        log = self.log_of("step 00003 1.4 1", "heard 00003 1.4 1", "beside 00003 1.5 1")

        self.assertEqual(log.answered(), {(3, "1.4", 1)})
        self.assertEqual(log.answered(), log.stepped())
        self.assertEqual([x.attempt for x in log.trained_beside()], ["1.5"])

    def test_a_plan_depends_on_its_seed_alone(self):
        self.assertEqual(plan_of(random.Random(7), 60), plan_of(random.Random(7), 60))
        self.assertNotEqual(plan_of(random.Random(7), 60), plan_of(random.Random(8), 60))


if __name__ == "__main__":
    main()
