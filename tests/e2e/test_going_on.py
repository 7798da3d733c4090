# SPDX-License-Identifier: BSD-3-Clause
"""A resumed experiment keeps its searcher, and suggests what it would have suggested."""
import json
import signal

import test_head
from controlled import ControlCase
from e2e import CertifiedCase, main


class Searcher(CertifiedCase):
    head = test_head.Head.head
    submit = test_head.Head.submit
    stop = test_head.Head.stop

    def setUp(self):
        super().setUp()
        self.storage = self.directory / "results"

    def quadratic(self, search, samples=4):
        path = self.directory / "client" / "x.ini"
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\nseed = 3\n"
            "max_concurrent_trials = 1\n[trainable]\nname = quadratic\n"
            "[space]\nx = uniform(-3, 3)\ny = 1\n%s\n" % (samples, search)
        )
        return path

    def configs(self, name="x"):
        rows = self.rows("SELECT config FROM trials ORDER BY trial", name)
        return [json.loads(row["config"]) for row in rows]

    # Runs it with these words, in one go.

    def here(self, ini, *words, code=0):
        return self.run_node("run", ini, "--search.max_wait", 0, *words, code=code)

    def at_head(self, where):
        def run(ini, *words, code=0):
            return self.finish(
                self.submit(ini, where, "--search.max_wait", 0, *words), code
            )

        return run

    def goes_on(self, run, first, then):
        """Begins an experiment with the first words of [search] and of the command line, and
        resumes it with the others: it suggests what it would have suggested in one go."""
        lines, *words = first
        run(self.quadratic(lines), "--experiment.name", "whole", "--experiment.num_samples", 9,
            *words)
        run(self.quadratic(lines), *words)
        lines, *words = then
        told = run(self.quadratic(lines, 9), "--resume", *words)

        self.assertEqual(self.configs(), self.configs("whole"))
        self.assertNotIn("search", told.err)
        for name in ("x", "whole"):
            self.run_node("fsck", "results/" + name, "--verify")
            (self.storage / name).rename(self.directory / ("%s-%d" % (name, self.number)))
        self.number += 1

    number = 0
    TPE = "[search]\ntype = tpe\n"
    OPTION = "[search]\nstartup = 3\n"

    def keeps_it(self, run):
        cases = {
            "the same": (("",), ("",)),
            # As recorded when `random` was the default type.
            "random, none": (("[search]\ntype = random\n",), ("",)),
            "tpe by the command line, none": (("", "--search.type", "tpe"), ("",)),
            "tpe with options, none": ((self.TPE + "startup = 3\n",), ("",)),
            "tpe, and options alone": ((self.OPTION, "--search.type", "tpe"), (self.OPTION,)),
        }
        for name, (first, then) in cases.items():
            with self.subTest(name):
                self.goes_on(run, first, then)

    def refuses(self, run, hint=""):
        run(self.quadratic(self.TPE))
        before = self.configs()

        for lines, words, said in (
            ("[search]\ntype = random\n", (), 'search.type was "tpe", is "random"'),
            ("", ("--search.type", "auto"), 'search.type was "tpe", is "auto"'),
            (self.OPTION, (), 'search.startup was "0", is "3"'),
        ):
            with self.subTest(said):
                told = run(self.quadratic(lines, 9), "--resume", *words, code=8)

                self.assertIn(
                    "cannot resume with another configuration: " + said + hint + "\n", told.err)
                self.assertEqual(self.configs(), before)

    def test_keeps_it_where_the_file_says_nothing(self):
        self.keeps_it(self.here)

    def test_keeps_it_where_the_file_says_nothing_at_a_head(self):
        head, where = self.head()
        self.keeps_it(self.at_head(where))
        self.stop(head)

    def test_refuses_another_one_in_one_line(self):
        where = self.directory / "results/x"
        self.refuses(self.here, "; tune-node resume %s goes on as it was recorded" % where)

    def test_refuses_another_one_at_a_head(self):
        head, where = self.head()
        self.refuses(self.at_head(where))
        self.stop(head)

    def test_refuses_another_one_by_its_directory_in_one_line(self):
        self.here(self.quadratic(self.TPE))

        told = self.run_node("resume", "results/x", "--search.type", "random",
                             "--experiment.num_samples", 9, code=8)

        self.assertEqual(
            told.err,
            "tune-node: cannot resume with another configuration:"
            ' search.type was "tpe", is "random"\n',
        )
        self.run_node("resume", "results/x", "--search.type", "tpe",
                      "--experiment.num_samples", 5)
        self.assertEqual(len(self.configs()), 5)


class Drafts(ControlCase):
    """One trial at a time, while another one is drawn ahead."""

    SAMPLES = 10
    # With a limit of trials, the next trial waits to be chosen; with a limit of processors, it
    # waits for a place.
    LIMITS = {
        "trials": ("--experiment.max_concurrent_trials", 1),
        "processors": ("--cluster.cpus", 1),
    }

    def words(self, name, limit):
        return ("--experiment.name", name, "--search.startup", 3, "--search.max_wait", 0,
                *self.LIMITS[limit])

    def learning(self, searcher):
        return self.stepping(
            samples=self.SAMPLES, steps=2, space="lr = uniform(0, 1)\nb = uniform(0, 1)",
            more="[search]\ntype = %s\n" % searcher,
        )

    def drawn(self, name):
        return self.rows("SELECT trial, origin, config FROM trials ORDER BY trial", name)

    def let_all_trials(self):
        for trial in range(self.SAMPLES):
            self.let(trial, 2)

    def broken_off(self, name, ini, words, how):
        """Interrupts the run again and again, each time while a trial runs and another one has
        been drawn."""
        for gate in self.gates.iterdir():
            gate.unlink()
        for trial in (3, 6, 8):
            ran = self.start("run", ini, "--resume", *words)
            for before in range(trial):
                self.let(before, 2)
            self.let(trial, 1)
            self.wait_until(
                lambda: self.rows_if_any(
                    "SELECT 1 FROM trials, attempts USING (trial) WHERE trials.status = 'RUNNING'"
                    " AND trial = %d AND attempts.started IS NOT NULL AND attempts.ended IS NULL"
                    " AND EXISTS (SELECT 1 FROM trials WHERE trial = %d)" % (trial, trial + 1),
                    name,
                ),
                ran, "trial %d" % trial,
            )
            ran.send_signal(how)
            ran.communicate()
        self.let_all_trials()
        self.run_node("run", ini, "--resume", *words)

    def suggests_the_same(self, searcher, how):
        ini = self.learning(searcher)
        for limit in self.LIMITS:
            with self.subTest(limit):
                self.let_all_trials()
                self.run_node("run", ini, *self.words("whole-" + limit, limit))

                self.broken_off("broken-" + limit, ini, self.words("broken-" + limit, limit), how)

                self.assertEqual(self.drawn("broken-" + limit), self.drawn("whole-" + limit))
                self.run_node("fsck", "results/broken-" + limit, "--verify")

    def test_are_drawn_anew_after_kill_9(self):
        self.suggests_the_same("tpe", signal.SIGKILL)

    def test_are_drawn_anew_after_ctrl_c(self):
        self.suggests_the_same("auto", signal.SIGINT)


if __name__ == "__main__":
    main()
