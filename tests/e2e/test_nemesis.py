# SPDX-License-Identifier: BSD-3-Clause
"""The short form of nemesis.py, which scripts/nightly.sh runs at length."""
from e2e import main
from nemesis import RunNemesis, StandingNemesis

# Of faults.
SECONDS = 15


class Runs(RunNemesis):
    def test_promotions_outlive_whoever_sleeps_or_dies(self):
        self.round(1, "promotion", SECONDS)


class Standing(StandingNemesis):
    def test_populations_outlive_whoever_sleeps_or_dies(self):
        self.round(2, "pbt", SECONDS)


if __name__ == "__main__":
    main()
