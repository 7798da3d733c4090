# SPDX-License-Identifier: BSD-3-Clause
"""An experiment that is gone on with keeps the searcher that it began with."""
import json

import test_head
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

    # How it is run: with these words, and in one go.

    def here(self, ini, *words, code=0):
        return self.run_node("run", ini, "--search.max_wait", 0, *words, code=code)

    def at_head(self, where):
        def run(ini, *words, code=0):
            return self.finish(
                self.submit(ini, where, "--search.max_wait", 0, *words), code
            )

        return run

    def goes_on(self, run, first, then):
        """Begun with these words of [search] and of the command line, and gone on with by others:
        it suggests what it would have suggested."""
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
            # As it was recorded where random was what no type stood for.
            "random, none": (("[search]\ntype = random\n",), ("",)),
            "tpe by the command line, none": (("", "--search.type", "tpe"), ("",)),
            "tpe with options, none": ((self.TPE + "startup = 3\n",), ("",)),
            "tpe, and options alone": ((self.OPTION, "--search.type", "tpe"), (self.OPTION,)),
        }
        for name, (first, then) in cases.items():
            with self.subTest(name):
                self.goes_on(run, first, then)

    def refuses(self, run):
        run(self.quadratic(self.TPE))
        before = self.configs()

        for lines, words, said in (
            ("[search]\ntype = random\n", (), 'search.type was "tpe", is "random"'),
            ("", ("--search.type", "auto"), 'search.type was "tpe", is "auto"'),
            (self.OPTION, (), 'search.startup was "0", is "3"'),
        ):
            with self.subTest(said):
                told = run(self.quadratic(lines, 9), "--resume", *words, code=8)

                self.assertIn("cannot resume with another configuration: " + said + "\n", told.err)
                self.assertEqual(self.configs(), before)

    def test_keeps_it_where_the_file_says_nothing(self):
        self.keeps_it(self.here)

    def test_keeps_it_where_the_file_says_nothing_at_a_head(self):
        head, where = self.head()
        self.keeps_it(self.at_head(where))
        self.stop(head)

    def test_refuses_another_one_in_one_line(self):
        self.refuses(self.here)

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


if __name__ == "__main__":
    main()
