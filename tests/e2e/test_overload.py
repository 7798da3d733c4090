# SPDX-License-Identifier: BSD-3-Clause
"""The short form of overload.py, which scripts/nightly.sh runs in full: facts, no times."""
from e2e import main
from overload import Overload


class FewTrials(Overload):
    def test_a_busy_machine_loses_no_node_no_trial_and_no_report(self):
        self.conduct(1, trials=120, per_second=600, steps=10)


if __name__ == "__main__":
    main()
