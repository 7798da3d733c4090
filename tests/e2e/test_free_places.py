# SPDX-License-Identifier: BSD-3-Clause
"""bench/free_places.py: what it counts, and a short run."""
import json
import subprocess
import sys

from e2e import ROOT, TUNE_NODE, Case, main

sys.path.insert(0, str(ROOT / "bench"))
import free_places  # noqa: E402


class FreePlaces(Case):
    def test_count_from_the_end_of_an_attempt_to_the_next_begin(self):
        # Two places; the second attempt ends first, and both are free before the third begins.
        attempts = [(0.0, 2.0, 0.0), (0.0, 1.5, 0.0), (2.25, 3.0, 2.0), (2.5, 4.0, 1.0), (3.125, 5.0, 3.125)]

        free = free_places.times_free(attempts)

        self.assertEqual(free, {2: (750.0, 500.0), 3: (500.0, 0), 4: (125.0, 125.0)})

    def test_tell_of_each_searcher(self):
        ran = subprocess.run(
            [sys.executable, ROOT / "bench/free_places.py", TUNE_NODE, "--searchers", "random,auto",
             "--trials", "12", "--places", "2", "--seconds", "0.01"],
            cwd=self.directory, capture_output=True, text=True, check=True,
        )
        told = [json.loads(x) for x in ran.stdout.splitlines()]

        self.assertEqual([x["searcher"] for x in told], ["random", "auto"])
        for x in told:
            self.assertEqual(x["trials"], [0, 12])
            self.assertLessEqual(x["p50_ms"], x["max_ms"])
            self.assertLessEqual(x["max_without_configuration_ms"], x["max_ms"])
        self.assertEqual(told[0]["drawn_ahead"], 0)


if __name__ == "__main__":
    main()
