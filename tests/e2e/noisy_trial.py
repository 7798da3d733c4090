# SPDX-License-Identifier: BSD-3-Clause
"""noisy_trial.py X SEED [REPORTS]: a trial whose result depends on its seed as much as on x. The first
seed of x = 1 is a lucky one; on the whole x = 2 is better, and x = 3 better still when looked at again.
x = 4 ends with status 3 but for its first seed."""
import os
import sys

SCORES = {
    1: [0.99, 0.2, 0.1, 0.3, 0.2],
    2: [0.7, 0.6, 0.65, 0.5, 0.4],
    3: [0.6, 0.6, 0.6, 0.65, 0.65],
    4: [1.0, 1.0, 1.0, 1.0, 1.0],
}


def main():
    x, seed = int(sys.argv[1]), int(sys.argv[2])
    reports = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    if x == 4 and seed > 0:
        sys.exit(3)
    score = SCORES[x][seed % 5]
    gate = os.environ.get("GATE")
    if gate:
        with open(gate, "a") as file:
            file.write("%d %d\n" % (x, seed))
    for i in range(reports):
        print("score = %r" % (score * (i + 1) / reports), flush=True)


main()
