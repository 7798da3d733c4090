# SPDX-License-Identifier: BSD-3-Clause
"""Energy of trials on a machine whose kernel counts that of its processors. The counters are made
here, and visible to this test only; it needs root, and says so and exits 77 if it may not mount."""
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import own_mounts
from e2e import Case
from test_costs import BURNS

CLASS = Path("/sys/class")
MOST = 262_143_328_850
JOULE = 1_000_000


class Counter(threading.Thread):
    """The counter of a package that draws some 100 W. It comes to its end on the way."""

    def __init__(self, file, first):
        super().__init__()
        self.file, self.first, self.drawn = file, first, 0
        self.over = threading.Event()
        self.write()

    def write(self):
        # At once: nobody sees a half.
        fresh = self.file.with_name("next")
        fresh.write_text("%d\n" % ((self.first + self.drawn) % (MOST + 1)))
        fresh.rename(self.file)

    def run(self):
        while not self.over.wait(0.01):
            self.drawn += JOULE
            self.write()


class Energy(Case):
    def setUp(self):
        super().setUp()
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", CLASS], check=True)
        self.addCleanup(subprocess.run, ["umount", CLASS], check=True)
        (self.directory / "burns.py").write_text(BURNS)

    def zone(self, directory, name):
        place = CLASS / "powercap" / directory
        place.mkdir(parents=True)
        (place / "name").write_text(name + "\n")
        (place / "max_energy_range_uj").write_text("%d\n" % MOST)
        counter = Counter(place / "energy_uj", MOST - 20 * JOULE)
        counter.start()
        self.addCleanup(counter.join)
        self.addCleanup(counter.over.set)
        return counter

    def costs_of_two(self, metric="loss:min", more=""):
        """Two trials, the second of which works ten times as much as the first."""
        self.run_node("run", self.ini(
            "[experiment]\nmetric = %s\nnum_samples = 1\n[space]\nwork = grid(0.03, 0.3)\n"
            "[trainable]\ncommand = %s {ini_dir}/burns.py {work} 1 3\n[cluster]\ncpus = 2\n%s\n"
            % (metric, sys.executable, more)))
        return [json.loads(x["costs"]) for x in self.rows("SELECT costs FROM attempts ORDER BY trial")]

    def test_is_divided_by_processor_time_also_where_the_counter_begins_anew(self):
        counter = self.zone("intel-rapl:0", "package-0")
        self.zone("intel-rapl:0:0", "core")

        begun = time.monotonic()
        lazy, busy = self.costs_of_two()

        total = counter.drawn / JOULE
        power = total / (time.monotonic() - begun)
        self.assertGreater(total, 20)
        self.assertGreater(lazy["energy_j"], 0)
        self.assertGreater(busy["energy_j"], 2 * lazy["energy_j"])
        self.assertLess(lazy["energy_j"] + busy["energy_j"], total)
        # All processors together can have worked for no longer than that.
        self.assertGreater(busy["energy_j"], power * busy["cpu_s"] / os.cpu_count() * 0.3)
        self.assertIn(" J", self.run_node("trials", "results/x", "--why", "1").out)

    def test_is_an_objective(self):
        self.zone("intel-rapl:0", "package-0")

        self.costs_of_two("tune/energy_j:min")

        best = self.run_node("status", "results/x", "-o", "json").json()["best"]
        self.assertEqual(best["trial"], "00000")
        self.assertGreater(best["metrics"]["tune/energy_j"], 0)

    def test_is_missing_where_no_package_is_counted(self):
        self.zone("intel-rapl:0:0", "core")

        for told in self.costs_of_two(more="[log]\ncosts = true"):
            self.assertNotIn("energy_j", told)
        self.assertEqual(
            self.rows("SELECT count(*) AS n FROM results WHERE metrics LIKE '%energy%'"), [{"n": 0}])


if __name__ == "__main__":
    own_mounts.main()
