# SPDX-License-Identifier: BSD-3-Clause
"""Trainables in shared libraries: loaded here, shipped to workers that do not have them, and
refused if they do not fit."""
import os
import re
import shutil
from pathlib import Path

from cluster import Cluster
from e2e import ROOT, main

SUPPORT = ROOT / "build/dev/tests/support"
DEFAULT = ":".join(
    str(SUPPORT / x)
    for x in ("plugin/libbowls.so", "libtune_old_plugin.so", "libtune_crash_plugin.so", "libtune_fork_plugin.so",
              "libtune_fake_nvml.so")
)
BOWLS, OLD, CRASHING, FORKING, NONE = map(Path, os.environ.get("TUNE_PLUGINS", DEFAULT).split(":"))


class Plugins(Cluster):
    def bowls(self, name="ball", which=BOWLS, more="", cluster=""):
        shutil.copy(which, self.directory / "libmine.so")
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 4\nseed = 3\n"
            "[trainable]\nplugin = ./libmine.so\nname = %s\n%s\n"
            "[space]\nlr = loguniform(0.001, 0.5)\nmomentum = uniform(0, 0.9)\nx = uniform(-1, 1)\n"
            "[stop]\ntraining_iteration = 3\n[checkpoint]\nfrequency = 1\n[cluster]\n%s\n"
            % (name, more, cluster)
        )

    def iterations(self):
        return [x["n"] for x in self.rows("SELECT count(*) AS n FROM results GROUP BY trial")]

    def test_a_class_of_a_plugin_is_found_trained_and_saved(self):
        told = self.run_node("run", self.bowls(), "-o", "json").json()

        self.assertEqual(told["counts"]["TERMINATED"], 4)
        self.assertEqual(self.iterations(), [3, 3, 3, 3])
        self.assertTrue(self.rows("SELECT * FROM checkpoints"))
        self.assertEqual(self.run_node("fsck", self.directory / "results/x").code, 0)
        (self.directory / "libmine.so").unlink()
        gone = self.run_node("rerun", self.directory / "results/x", code=3).err
        self.assertIn("by keys of [trainable], as in --trainable.plugin FILE", gone)

    def test_a_function_of_a_plugin_runs(self):
        self.run_node("run", self.bowls("bowl"))

        self.assertEqual(self.iterations(), [3, 3, 3, 3])

    def test_processes_of_a_plugin_serve_several_trials(self):
        self.run_node("run", self.bowls(more="reuse_actors = true"))

        self.assertEqual(self.iterations(), [3, 3, 3, 3])

    def test_a_worker_gets_the_plugin_with_the_files(self):
        ini = self.bowls(cluster="local = false")
        head, where = self.head(ini)
        # Run beside the head's directory, where the worker has nothing of it.
        worker = self.worker(where, "w", "--once", "--own-storage", cpus=2)

        self.finish(head)
        self.finish(worker)

        self.assertEqual({x["node"] for x in self.rows("SELECT node FROM attempts")}, {"w"})
        self.assertEqual(self.iterations(), [3, 3, 3, 3])
        shipped = list((self.directory / "work-w").rglob("content/**/*"))
        self.assertTrue(any(x.is_file() and x.read_bytes() == BOWLS.read_bytes() for x in shipped))
        # Files that the trials wrote have come to the head.
        for trial in range(4):
            self.assertIn("lr = ", self.trial_file(trial, "notes.txt").read_text())

    def test_a_head_that_stands_runs_what_a_client_brings(self):
        log = self.directory / "head.log"
        head = self.start_on(
            *("head", log.name, "head", "--listen", "127.0.0.1:0", "--certs", self.certs),
            *("--storage", self.directory / "results", "--work", self.directory / "work-head"),
        )
        self.wait_until(lambda: self.says(log.name, "experiments may come"), head, "an open port")
        where = re.search(r"--head (\S+)", log.read_text()).group(1)

        told = self.run_node(
            *("run", self.bowls(), "--head", where, "--certs", self.certs, "-o", "json")
        ).json()

        self.assertEqual(told["counts"]["TERMINATED"], 4)
        head.terminate()
        self.finish(head, None)

    def refused(self, *words, code=3):
        """The complaint of `config check`."""
        return self.run_node("config", "check", self.bowls(*words), code=code).err

    def test_what_does_not_fit_is_refused_by_key_and_file(self):
        said = self.refused("ball", OLD)
        self.assertRegex(said, r"x.ini:\d+.*plugin.*libmine.so\" was built for another program")
        self.assertIn("tune 0.0.1, another compiler", said)
        self.assertIn("build it anew", said)
        said = self.refused("ball", NONE)
        self.assertIn("is no plugin: it exports no tune_plugin_abi", said)
        said = self.refused("ball", CRASHING)
        self.assertIn("ended the process that loaded it: signal 6", said)
        said = self.refused("ball", Path(__file__))
        self.assertIn("cannot be loaded", said)

    def users_of_the_plugin(self):
        """Pids of all processes that have mapped the plugin."""
        found = []
        for maps in Path("/proc").glob("[0-9]*/maps"):
            try:
                if str(self.directory / "libmine.so") in maps.read_text(errors="replace"):
                    found.append(maps.parent.name)
            except OSError:
                pass  # the process has ended meanwhile
        return found

    def test_one_that_starts_processes_leaves_none_behind_and_is_not_waited_for(self):
        said = self.refused("ball", FORKING)

        self.assertIn("was built for another program", said)
        self.assertEqual(self.users_of_the_plugin(), [])

    def test_names_are_looked_for_in_the_plugin(self):
        said = self.refused("bal")
        self.assertIn("name = bal: no such function or class is in ./libmine.so", said)
        self.assertIn('did you mean "ball"', said)
        self.assertIn("is a class", self.refused("ball", BOWLS, "kind = function"))

    def test_a_missing_plugin_and_one_for_a_thread_are_refused(self):
        ini = self.bowls(more="isolation = thread")
        told = self.run_node("config", "check", ini, code=3)
        self.assertIn("isolation = thread: a plugin is loaded in processes of trials", told.err)
        ini = self.bowls()
        (self.directory / "libmine.so").unlink()
        told = self.run_node("config", "check", ini, code=3)
        self.assertIn('libmine.so" does not exist', told.err)


if __name__ == "__main__":
    main()
