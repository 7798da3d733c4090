# SPDX-License-Identifier: BSD-3-Clause
"""Short forms of the campaigns in kill_loop.py and deaths.py, which scripts/nightly.sh runs in
full."""
from deaths import Deaths
from e2e import main
from kill_loop import KillLoop


class Kills(KillLoop):
    def test_all_trials_end_whoever_is_killed(self):
        self.campaign(1, "fifo", 20, 8, "command")

    def test_decisions_outlive_whoever_is_killed(self):
        self.campaign(2, "asha", 20, 8, "process")

    def test_populations_outlive_whoever_is_killed(self):
        self.campaign(3, "pbt", 16, 8, "command")


class Orders(Deaths):
    # Generous for a busy machine; scripts/nightly.sh measures.
    slack = 30

    def test_nothing_is_left_where_a_head_dies_before_its_guard_and_a_worker(self):
        self.conduct(("head", "head's guard", "worker"), 1)

    def test_nothing_is_left_where_a_guard_dies_before_its_head_and_a_worker(self):
        self.conduct(("head's guard", "head", "worker"), 2)

    def test_nothing_is_left_where_a_workers_guard_dies_before_the_head(self):
        self.conduct(("worker's guard", "head"), 3)


if __name__ == "__main__":
    main()
