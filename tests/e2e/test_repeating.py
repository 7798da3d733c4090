# SPDX-License-Identifier: BSD-3-Clause
"""The same seed gives the same experiment."""
import json

from e2e import FAULTY_NODE, Case, main

# All columns without times, process numbers and durations.
ROWS = {
    "trials": "trial, status, config, origin, failures, lineage, reason, error, iterations,"
    " metrics, best_iteration, best_metrics",
    "results": "seq, trial, attempt, lineage, training_iteration, number, done, node, metrics",
    "decisions": "seq, trial, attempt, training_iteration, action, reason",
    "attempts": "trial, attempt, lineage, node, start_checkpoint, donor, config, end_class,"
    " detail, exit_status",
    "events": "seq, kind, body",
}

# All configurations are drawn at once. A searcher that learns is asked while trials run, and if it
# takes long its draft is used.
BY_CHANCE = "[search]\ntype = random\n"
ASHA = """
[scheduler]
type = asha
grace_period = 1
reduction_factor = 2
max_t = 8
"""


def without_times(rows):
    """Bodies of events without times, costs, process numbers and the whole configuration."""

    def stripped(x):
        if isinstance(x, dict):
            return {
                name: stripped(part)
                for name, part in x.items()
                if name not in ("pid", "spec", "costs") and not name.endswith(("_s", "_ms", "_ns"))
            }
        return [stripped(part) for part in x] if isinstance(x, list) else x

    for row in rows:
        if "body" in row:
            row["body"] = stripped(json.loads(row["body"]))
    return rows


class Repeating(Case):
    def run_as(self, name, ini, cpus, *words):
        self.run_node(
            "run", ini, "--experiment.name", name, "--cluster.cpus", cpus, *words,
            program=FAULTY_NODE,
        )

    def configs(self, name):
        return [row["config"] for row in self.rows("SELECT config FROM trials ORDER BY trial", name)]

    def test_the_same_seed_gives_the_same_configurations(self):
        ini = self.cpp_experiment(
            "learns", "x = uniform(0, 1)\nn = randint(0, 9)\nc = choice(a, b) if n > 4", samples=12
        )
        for searcher in ("random", "sobol"):
            with self.subTest(searcher):
                name = searcher
                chosen = ["--search.type", searcher, "--experiment.seed"]
                self.run_as(name + "1", ini, 1, *chosen, "3")
                self.run_as(name + "2", ini, 4, *chosen, "3")
                self.run_as(name + "3", ini, 1, *chosen, "4")

                self.assertEqual(self.configs(name + "1"), self.configs(name + "2"))
                self.assertNotEqual(self.configs(name + "1"), self.configs(name + "3"))

    def compare(self, ini, empty=()):
        self.run_as("one", ini, 1)
        self.run_as("two", ini, 1)

        for view, columns in ROWS.items():
            with self.subTest(view):
                query = "SELECT %s FROM %s ORDER BY 1, 2, 3" % (columns, view)
                one, two = (without_times(self.rows(query, name)) for name in ("one", "two"))
                self.assertEqual(one, two)
                self.assertEqual(len(one) == 0, view in empty)

    def test_one_trial_at_a_time_gives_the_same_rows(self):
        self.compare(
            self.cpp_experiment(
                "learns", "x = uniform(0, 1)\nsteps = 8", more=BY_CHANCE + ASHA, samples=12,
                isolation="thread",
            )
        )

    def test_processes_one_at_a_time_give_the_same_rows(self):
        self.compare(
            self.cpp_experiment(
                "learns", "x = uniform(0, 1)\nsteps = 8", more=BY_CHANCE + ASHA, samples=8
            )
        )

    def test_failures_and_retries_repeat_as_well(self):
        self.compare(
            self.cpp_experiment(
                "moody", "kind = grid(learns, throws, leaves)\nx = uniform(0, 1)", samples=2,
                more=BY_CHANCE + "[failure]\nmax_failures = 1",
            ),
            empty=["decisions"],
        )

    def test_a_searcher_that_is_waited_for_learns_the_same_from_the_same(self):
        ini = self.cpp_experiment(
            "learns", "x = uniform(0, 1)\nsteps = 2", samples=14,
            more="[search]\ntype = auto\nstartup = 4\nmax_wait = 0\n",
        )
        for name in ("one", "two"):
            self.run_as(name, ini, 1)

        rows = [self.rows("SELECT %s FROM trials" % ROWS["trials"], x) for x in ("one", "two")]
        self.assertEqual(rows[0], rows[1])
        self.assertIn("gp", {row["origin"] for row in rows[0]})


if __name__ == "__main__":
    main()
