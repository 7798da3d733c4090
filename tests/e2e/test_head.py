# SPDX-License-Identifier: BSD-3-Clause
"""A standing head: experiments are submitted to it, workers join it, over mutual TLS."""
import csv
import io
import re
import shutil
import signal
import socket
from collections import Counter

from e2e import FAULTY_NODE, ROOT, CertifiedCase, main
from test_programs import shown_experiment


class Head(CertifiedCase):
    """Each client has a directory of its own: the head must not need the clients' files."""

    def setUp(self):
        super().setUp()
        self.storage = self.directory / "results"

    # -- Who takes part.

    def head(self, *words, cpus=2, name="head"):
        """Starts a standing head. Returns it and its address."""
        log = self.directory / (name + ".log")
        with open(log, "w", encoding="utf-8") as err:
            head = self.start(
                *("head", "--listen", "127.0.0.1:0", "--certs", self.certs, "--cpus", cpus),
                *("--storage", self.storage, "--work", self.directory / ("work-" + name)),
                *words, stderr=err
            )
        self.wait_until(lambda: "experiments may come" in log.read_text(), head, "an open port")
        self.log = log
        return head, re.search(r"--head (\S+)", log.read_text()).group(1)

    def worker(self, where, name, *words, cpus=1):
        return self.start(
            *("worker", "--join", where, "--name", name, "--cpus", cpus, "--certs", self.certs),
            *("--work", self.directory / ("work-" + name), "--once", *words)
        )

    def job(self, name, samples=2, tail="", more=""):
        """An INI file in a directory of its own, with a script and a file that it needs."""
        place = self.directory / ("client-" + name)
        place.mkdir(parents=True, exist_ok=True)
        path = place / (name + ".ini")
        path.write_text(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n[trainable]\n%s"
            "[space]\nx = uniform(0, 1)\n%s\n"
            % (samples, self.three_reports(place, "words of " + name, tail), more)
        )
        return path

    def waiting_job(self, name, samples=2, more=""):
        """A job whose trials report and then wait for a file. Returns the job and the file."""
        flag = self.directory / (name + " may go on")
        tail = 'until [ -e "%s" ]; do sleep 0.05; done' % flag
        return self.job(name, samples, tail, more), flag

    def submit(self, ini, where, *words, certs=None, **how):
        return self.start(
            "run", ini, "--head", where, "--certs", certs or self.certs, *words, cwd=ini.parent, **how
        )

    def wait_for_reports(self, name, count, child):
        self.wait_until(
            lambda: len(self.rows_if_any("SELECT * FROM results", name)) >= count,
            child, "%d reports of %s" % (count, name),
        )

    def assert_no_files_of_jobs(self, name="head"):
        """Checks that the files fetched for an experiment are gone after it."""
        jobs = self.directory / ("work-" + name) / "jobs"
        self.wait_until(lambda: not list(jobs.iterdir()), what="the end of all files of jobs")

    def stop(self, head):
        head.send_signal(signal.SIGTERM)
        self.finish(head)
        self.assert_no_trial_processes()

    # -- What a head is for.

    def test_runs_of_one_configuration_are_told_together_and_confirmed(self):
        _, where = self.head()
        place = self.directory / "client-noisy"
        place.mkdir()
        shutil.copy(ROOT / "tests/e2e/noisy_trial.py", place)
        ini = place / "noisy.ini"
        ini.write_text(
            "[experiment]\nmetric = score\nconfirm = 2\nconfirm_runs = 2\n"
            "[trainable]\ncommand = python3 {ini_dir}/noisy_trial.py {x} {seed}\n"
            "metric.score = score = {number}\n[space]\nx = grid(1, 2, 3)\n[search]\nrepeat = 3\n"
        )

        best = self.finish(self.submit(ini, where, "-o", "json")).json()["best"]
        text = self.finish(self.submit(ini, where, "--resume")).out

        self.assertEqual(best["config"], {"x": 3, "seed": 3})
        self.assertEqual((best["runs"]["confirmed"], best["runs"]["mean"]), (True, 0.65))
        self.assertIn("confirmed by 2 runs: mean score = 0.65", text)
        status = self.run_node("status", self.storage / "noisy", "-o", "json").json()
        self.assertEqual(status["best"]["runs"], best["runs"])

    def test_an_experiment_learns_from_one_that_its_client_has(self):
        _, where = self.head()
        ini = self.job("first", 5)
        self.run_node("run", ini, "--experiment.storage", ini.parent / "mine", cwd=ini.parent)
        words = ("--experiment.name", "second", "--search.type", "gp")
        words += ("--search.learn_from", "mine/first", "--experiment.num_samples", "3")

        self.finish(self.submit(ini, where, *words))
        shutil.rmtree(ini.parent / "mine")
        more = self.submit(
            ini, where, "--resume", *words[:-1], "4", "-o", "json"
        )

        self.assertEqual(self.finish(more).json()["counts"]["TERMINATED"], 4)
        origins = self.rows("SELECT origin FROM trials ORDER BY trial", "second")
        self.assertRegex(origins[0]["origin"], r"^earlier 1: mine/first, trial 0000\d$")
        self.run_node("fsck", self.storage / "second", "--verify")

    def test_two_experiments_of_two_clients_share_the_nodes(self):
        head, where = self.head(cpus=1)
        one, go_one = self.waiting_job("one", 3)
        two, go_two = self.waiting_job("two", 3)
        before = self.worker(where, "early", cpus=1)
        self.wait_until(lambda: "early joined" in self.log.read_text(), head, "a worker")
        first = self.submit(one, where, "-o", "json")
        self.wait_for_reports("one", 6, first)
        second = self.submit(two, where, "-o", "json")
        self.wait_until(lambda: "experiment two" in self.log.read_text(), head, "the second")
        after = self.worker(where, "late", cpus=1)
        # One more trial of the first experiment waits, too, but that experiment has two running.
        self.wait_for_reports("two", 3, second)
        self.assertEqual(
            {row["node"] for row in self.rows("SELECT node FROM attempts", "two")}, {"late"}
        )
        go_one.touch()
        go_two.touch()

        told = self.finish(first).json(), self.finish(second).json()

        for name, result in zip(("one", "two"), told):
            self.assertEqual(result["counts"]["TERMINATED"], 3)
            self.assertEqual(result["directory"], str(self.storage / name))
            for row in self.rows("SELECT trial FROM attempts", name):
                err = self.trial_file(row["trial"], "stderr", name).read_text()
                self.assertRegex(err, "^err of [-0-9.e]+\nwords of %s\n$" % name)
        nodes = {row["node"] for row in self.rows("SELECT node FROM attempts", "one")}
        self.assertLessEqual({"local", "early"}, nodes)
        self.assertIn("experiment one ended: done, 3 trials; best loss", self.log.read_text())
        for name in ("head", "early", "late"):
            self.assert_no_files_of_jobs(name)
        self.stop(head)
        self.finish(before)
        self.finish(after)

    def test_what_two_experiments_print_on_one_worker_is_all_there(self):
        head, where = self.head("--no-local")
        worker = self.worker(where, "w", cpus=2)
        lines = 'i=0; while [ $i -lt 200 ]; do echo "$words $1 $i"; i=$((i+1)); done'
        tail = "words=$(cat \"$2\")\n%s\n( %s ) >&2\n" % (lines, lines)
        names = ("one", "two")
        clients = [
            self.submit(self.job(x, 8, tail, "[experiment]\nmax_concurrent_trials = 1\n"), where)
            for x in names
        ]

        for client in clients:
            self.finish(client)

        for name in names:
            rows = self.rows("SELECT trial, json_extract(config, '$.x') AS x FROM trials", name)
            self.assertEqual(len(rows), 8)
            for row in rows:
                for stream in ("stdout", "stderr"):
                    text = self.trial_file(row["trial"], stream, name).read_text()
                    printed = [x for x in text.splitlines() if x.startswith("words of " + name + " ")]
                    self.assertEqual([x.split()[-1] for x in printed], [str(i) for i in range(200)])
                    self.assertEqual(len({x.split()[-2] for x in printed}), 1)
        self.stop(head)
        self.finish(worker)

    # -- Nodes that are not ready.

    def spoil(self, name):
        """Leaves a worker no place for jobs, as on a full disk, but in a way that also stops
        root."""
        (self.directory / ("work-" + name) / "jobs").write_text("")

    def spoiled_worker(self, where, name, child):
        worker = self.worker(where, name, cpus=4)
        self.wait_until(lambda: name + " joined" in self.log.read_text(), child, "a worker")
        self.spoil(name)
        return worker

    def test_a_worker_that_is_not_ready_costs_no_trial(self):
        head, where = self.head("--no-local")
        broken = self.spoiled_worker(where, "broken", head)
        healthy = self.worker(where, "healthy")
        self.wait_until(lambda: "healthy joined" in self.log.read_text(), head, "a worker")

        ran = self.finish(self.submit(self.job("x", 10), where, "-o", "json"))

        self.assertEqual(ran.json()["counts"]["TERMINATED"], 10)
        self.assertRegex(ran.err, "node broken is not ready for it: .*jobs")
        query = "SELECT node, end_class FROM attempts GROUP BY node, end_class ORDER BY node"
        self.assertEqual(
            self.rows(query),
            [
                {"node": "broken", "end_class": "preempted"},
                {"node": "healthy", "end_class": "finished"},
            ],
        )
        self.stop(head)
        self.finish(broken)
        self.finish(healthy)

    def test_an_experiment_that_no_node_is_ready_for_is_left_off_with_the_cause(self):
        head, where = self.head("--no-local")
        broken = self.spoiled_worker(where, "broken", head)
        ini = self.job("x", 3)

        ran = self.finish(self.submit(ini, where), 75)
        healthy = self.worker(where, "healthy")
        again = self.finish(self.submit(ini, where, "-o", "json", "--resume"))

        self.assertIn("no node is ready for it: node broken is not ready for it: ", ran.err)
        self.assertIn("--resume", ran.err)
        self.assertEqual(again.json()["counts"]["TERMINATED"], 3)
        self.stop(head)
        self.finish(broken)
        self.finish(healthy)

    # -- Who cleans up behind a worker's back.

    def ends(self):
        """Number of attempts by node and end class."""
        return Counter((row["node"], row["end_class"]) for row in self.rows("SELECT * FROM attempts"))

    def test_a_worker_whose_directory_is_removed_makes_it_anew_and_blames_no_trial(self):
        head, where = self.head("--no-local")
        log = self.directory / "w.log"
        with open(log, "w", encoding="utf-8") as err:
            worker = self.start(
                *("worker", "--join", where, "--name", "w", "--cpus", 1, "--certs", self.certs),
                *("--work", self.directory / "work-w", "--once"), stderr=err
            )
        flag = self.directory / "go on"
        tail = 'until [ -e "%s" ]; do sleep 0.05; done; cat "$2"' % flag
        client = self.submit(self.job("x", 4, tail), where, "-o", "json")
        self.wait_for_reports("x", 3, client)

        shutil.rmtree(self.directory / "work-w")
        flag.touch()

        self.assertEqual(self.finish(client).json()["counts"]["TERMINATED"], 4)
        # One trial was running: its file was gone when it needed it.
        self.assertEqual(self.ends(), {("w", "node_lost"): 1, ("w", "finished"): 4})
        self.assertRegex(log.read_text(), "files that were brought here .* are gone: .*/work-w/jobs/")
        self.stop(head)
        self.finish(worker)

    def test_a_worker_whose_directory_another_took_gets_no_more_trials(self):
        head, where = self.head("--no-local")
        ini, flag = self.waiting_job("x", 4)
        robbed = self.worker(where, "robbed")
        client = self.submit(ini, where, "-o", "json")
        self.wait_for_reports("x", 3, client)

        (self.directory / "work-robbed" / "lock").unlink()
        taker = self.start(
            *("worker", "--join", "127.0.0.1:1", "--certs", self.certs),
            *("--work", self.directory / "work-robbed")
        )
        jobs = self.directory / "work-robbed" / "jobs"
        self.wait_until(lambda: not list(jobs.iterdir()), taker, "the other worker's sweep")
        flag.touch()

        ran = self.finish(client, 75)
        self.assertRegex(ran.err, "node robbed is not ready for it: .* was taken by another process")
        blameless = {("robbed", x) for x in ("finished", "preempted", "interrupted")}
        self.assertLessEqual(set(self.ends()), blameless)
        self.stop(head)
        self.finish(robbed)
        taker.kill()

    def test_its_client_shows_what_a_local_run_shows(self):
        head, where = self.head()
        ini = self.job("x", samples=2, more="[experiment]\nseed = 3\n")
        there = self.finish(self.submit(ini, where))
        local = self.run_node("run", ini, "--experiment.storage", self.directory / "local")

        def lines(text):
            """Lines without times and without places."""
            text = re.sub(r"\[[^]]*\]", "[]", re.sub(r"after \S+", "after", text))
            # Each head repeats its own options.
            text = re.sub(r" --(certs|experiment\.storage) \S+", "", text)
            text = text.replace(str(self.directory / "local"), str(self.storage))
            # Clients of a head name an experiment there by its name, and have no file to query.
            text = re.sub(r"trials \S+/x ", "trials x ", text)
            text = re.sub(r"  sqlite3 .*\n", "", text)
            return sorted(
                line.replace(" at " + where, "").replace(" --head " + where, "").replace(
                    ", at the head", "")
                for line in text.splitlines() if " runs at " not in line
            )

        self.assertEqual(lines(there.out), lines(local.out))
        self.assertEqual(
            [line for line in lines(there.err) if "trial " in line and "best" not in line],
            [line for line in lines(local.err) if "trial " in line and "best" not in line],
        )
        self.assertIn("x runs at %s, in %s" % (where, self.storage / "x"), there.err)
        self.stop(head)

    def test_every_output_format_is_that_of_a_local_run(self):
        head, where = self.head()
        ini = self.job("x", samples=3)

        def masked(text, directory):
            text = text.replace(str(directory), "DIR")
            if not text.startswith("trial,"):
                return re.sub(r'"(elapsed|time_total|created|ended)_s":[-+.0-9e]+', "", text)
            rows = list(csv.DictReader(io.StringIO(text)))
            return [{k: v for k, v in x.items() if not k.endswith("_s")} for x in rows]

        for form in ("csv", "json", "jsonl"):
            name = "x-" + form
            there = self.finish(self.submit(ini, where, "-o", form, "--experiment.name", name)).out
            local = self.run_node(
                *("run", ini, "-o", form, "--experiment.name", name),
                *("--experiment.storage", self.directory / "local")
            ).out
            self.assertEqual(
                masked(there, self.storage), masked(local, self.directory / "local"), form
            )
        rows = list(csv.DictReader(io.StringIO(self.rows_of(where, ini, "csv"))))
        self.assertEqual([row["status"] for row in rows], ["TERMINATED"] * 3)
        self.stop(head)

    def rows_of(self, where, ini, form):
        """Opens a finished experiment again: its result, without running a trial."""
        return self.finish(
            self.submit(ini, where, "-o", form, "--experiment.name", "x-csv", "--resume")
        ).out

    def test_a_finished_experiment_ends_with_the_exit_code_that_it_had(self):
        head, where = self.head()
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\n"
            "[trainable]\ncommand = sh -c 'echo loss=1; exit {x}'\nmetric.loss = loss={number}\n"
            "[space]\nx = grid(3, 4)\n"
        )
        self.finish(self.submit(ini, where), 5)

        self.finish(self.submit(ini, where, "--resume"), 5)
        self.finish(self.submit(ini, where, "--resume", "--strict"), 5)
        self.stop(head)

    # -- What is refused.

    def test_of_one_name_one_runs_at_a_time(self):
        head, where = self.head()
        ini, flag = self.waiting_job("x", 1)
        first = self.submit(ini, where, "-o", "json")
        self.wait_for_reports("x", 3, first)

        second = self.finish(self.submit(ini, where), 8)
        flag.touch()
        self.assertEqual(self.finish(first).json()["status"], "done")
        third = self.finish(self.submit(ini, where), 8)

        self.assertIn("an experiment named x runs at the head already", second.err)
        self.assertIn("holds an experiment already: go on with it by --resume", third.err)
        self.stop(head)

    def test_what_the_head_does_not_know_is_refused_with_its_name(self):
        head, where = self.head()
        ini = self.cpp_experiment("report_three")
        known = self.run_node("list", "trainables", "-o", "json", program=FAULTY_NODE).json()
        ini.write_text(ini.read_text().replace("report_three", known[0]["name"]))

        ran = self.finish(self.submit(ini, where, program=FAULTY_NODE), 3)

        self.assertIn("name = %s: no such function or class" % known[0]["name"], ran.err)
        self.assertFalse((self.storage / "x").exists())
        self.stop(head)

    def test_a_wrong_file_is_refused_before_the_head_is_asked(self):
        ini = self.job("x", more="[stop]\nwhen = )\n")

        ran = self.finish(self.submit(ini, "127.0.0.1:1"), 3)

        self.assertIn("x.ini:", ran.err)

    def test_trials_that_can_never_fit_are_refused_where_they_may_not_wait(self):
        head, where = self.head(cpus=2)
        ini = self.job("x", more="[resources]\ncpu = 3\n")

        refused = self.finish(self.submit(ini, where, "--cluster.queue_trials", "false"), 3)

        self.assertIn("3 CPU", refused.err)
        self.assertFalse((self.storage / "x").exists())
        waits = self.submit(ini, where, "-o", "json")
        self.wait_until(lambda: "experiment x" in self.log.read_text(), head, "the experiment")
        missing = "no node can hold 3 CPU: the cluster has 1 node: 2 CPU"
        self.wait_until(lambda: "experiment x: trials wait, as %s" % missing in self.log.read_text(),
                        head, "a word of what is waited for")
        state = self.run_node("status", self.storage / "x", "-o", "json").json()
        self.assertIn(missing, state["head"]["waits_for"])
        self.assertIn(missing, self.run_node("status", self.storage / "x").out)
        self.assertIn(missing, self.run_node("trials", self.storage / "x", "--why", "0").out)
        worker = self.worker(where, "large", cpus=3)
        ended = self.finish(waits)
        self.assertEqual(ended.json()["counts"]["TERMINATED"], 2)
        self.assertIn(missing, ended.err)
        self.stop(head)
        self.finish(worker)

    def test_whoever_does_not_belong_is_refused_with_the_cause(self):
        foreign = self.directory / "foreign"
        self.run_node("certs", "init", "--cluster", "other", "--certs", foreign)
        head, where = self.head()
        ini = self.job("x")

        none = self.finish(self.submit(ini, where, certs=self.directory / "none"), 8)
        other_ca = self.finish(self.submit(ini, where, certs=foreign), 8)
        other = self.finish(self.submit(ini, where, "--cluster.name", "lab"), 8)
        plain = self.finish(self.submit(ini, where, "--insecure-plaintext"), 8)
        nobody = self.finish(self.submit(ini, "127.0.0.1:1"), 6)
        both = self.finish(self.submit(ini, where, "--listen", "127.0.0.1:0"), 2)
        in_file = self.finish(self.submit(ini, where, "--cluster.listen", "127.0.0.1:0"), 3)

        self.assertIn("tune-node certs init", none.err)
        self.assertIn("tune-node certs issue", none.err)
        self.assertRegex(other_ca.err, "(?i)another CA|foreign|unknown CA")
        self.assertIn("other cluster: the head belongs to cluster 'default'", other.err)
        self.assertIn("TLS", plain.err)
        self.assertIn("127.0.0.1:1", nobody.err)
        self.assertIn("either --head or --listen", both.err)
        self.assertIn("[cluster] listen", in_file.err)
        # By the token a worker finds out whether it sees the storage, too.
        own = {".tune_storage", ".tune_head", ".tune_lead"}
        self.assertEqual({x.name for x in self.storage.iterdir()} - own, set())
        self.stop(head)

    def test_a_run_that_listens_takes_no_experiments(self):
        ini, flag = self.waiting_job("x", 1)
        log = self.directory / "run.log"
        with open(log, "w", encoding="utf-8") as err:
            run = self.start(
                "run", ini, "--listen", "127.0.0.1:0", "--certs", self.certs, stderr=err
            )
        self.wait_until(lambda: "workers may join" in log.read_text(), run, "an open port")
        where = re.search(r"--join (\S+)", log.read_text()).group(1)

        refused = self.finish(self.submit(self.job("y"), where), 8)

        self.assertIn("tune-node head", refused.err)
        flag.touch()
        self.finish(run)

    def test_a_head_needs_certificates_and_a_storage(self):
        nowhere = self.directory / "none"
        without = self.run_node("head", "--listen", "127.0.0.1:0", "--certs", nowhere, code=8)
        plain = self.run_node("head", "--listen", "0.0.0.0:0", "--insecure-plaintext", code=8)
        self.directory.joinpath("file").write_text("")
        storage = self.run_node(
            *("head", "--listen", "127.0.0.1:0", "--certs", self.certs),
            *("--storage", self.directory / "file"), code=7
        )

        self.assertIn("tune-node certs init", without.err)
        self.assertIn("plain text is refused for 0.0.0.0:0", plain.err)
        self.assertIn(str(self.directory / "file"), storage.err)

    # -- Who goes, and who stays.

    def test_ctrl_c_at_the_client_leaves_the_experiment_off_in_order(self):
        head, where = self.head()
        ini, flag = self.waiting_job("x", 2)
        client = self.submit(ini, where, "-o", "json")
        self.wait_for_reports("x", 6, client)

        client.send_signal(signal.SIGINT)
        told = self.finish(client, 130)
        flag.touch()
        again = self.finish(self.submit(ini, where, "-o", "json", "--resume"))

        self.assertEqual(told.json()["status"], "interrupted")
        self.assertIn("leaving off in order", told.err)
        self.assertEqual(again.json()["counts"]["TERMINATED"], 2)
        self.stop(head)

    def test_a_client_that_is_killed_changes_nothing(self):
        head, where = self.head()
        ini, flag = self.waiting_job("x", 2)
        client = self.submit(ini, where)
        self.wait_for_reports("x", 6, client)

        client.kill()
        client.wait()
        flag.touch()

        self.wait_until(
            lambda: "experiment x ended: done" in self.log.read_text(), head, "the end"
        )
        statuses = [row["status"] for row in self.rows("SELECT status FROM trials")]
        self.assertEqual(statuses, ["TERMINATED"] * 2)
        self.stop(head)

    def test_a_detached_experiment_runs_on_by_itself(self):
        head, where = self.head()

        as_json = self.finish(
            self.submit(self.job("x"), where, "--detach", "-o", "json")
        ).json()
        as_text = self.finish(self.submit(self.job("y"), where, "--detach"))

        directory = str(self.storage / "x")
        self.assertEqual(as_json, {"experiment": "x", "directory": directory, "head": where})
        self.assertEqual(as_text.out, "y runs at %s, in %s\n" % (where, self.storage / "y"))
        for name in "xy":
            self.wait_until(
                lambda: "experiment %s ended: done" % name in self.log.read_text(), head, "the end"
            )
        self.stop(head)

    def test_a_head_that_is_told_to_go_leaves_all_off_in_order(self):
        head, where = self.head(cpus=1)
        worker = self.worker(where, "w")
        one, go_one = self.waiting_job("one", 1)
        two, go_two = self.waiting_job("two", 1)
        clients = [self.submit(ini, where, "-o", "json") for ini in (one, two)]
        for name, client in zip(("one", "two"), clients):
            self.wait_for_reports(name, 3, client)

        self.stop(head)
        told = [self.finish(client, 75) for client in clients]
        self.finish(worker)
        go_one.touch()
        go_two.touch()
        head, where = self.head(name="next")
        again = [
            self.finish(self.submit(ini, where, "-o", "json", "--resume")) for ini in (one, two)
        ]

        for result in told:
            self.assertEqual(result.json()["status"], "interrupted")
            self.assertIn("--resume", result.err)
        for result in again:
            self.assertEqual(result.json()["counts"]["TERMINATED"], 1)
        self.stop(head)

    def test_a_head_that_is_killed_leaves_nothing_behind_but_what_can_be_resumed(self):
        head, where = self.head("--head-grace", "0", cpus=1)
        worker = self.worker(where, "w")
        ini, flag = self.waiting_job("x", 2)
        client = self.submit(ini, where, "-o", "json")
        self.wait_for_reports("x", 6, client)

        head.kill()
        head.wait()
        lost = self.finish(client, 6)
        self.finish(worker)
        self.assert_no_trial_processes()
        flag.touch()
        head, where = self.head(name="next")
        again = self.finish(self.submit(ini, where, "-o", "json", "--resume"))

        self.assertRegex(lost.err, "; if it ended, go on with it by tune-node run .* --resume\n")
        self.assertEqual(lost.out, "")
        self.assertEqual(again.json()["counts"]["TERMINATED"], 2)
        self.stop(head)

    def test_who_goes_without_a_word_or_talks_nonsense_takes_nobody_along(self):
        head, where = self.head("--no-local")
        ini, flag = self.waiting_job("x", 1)
        stays = self.worker(where, "stays")
        client = self.submit(ini, where, "-o", "json")
        self.wait_for_reports("x", 3, client)
        address = where.rsplit(":", 1)
        for i in range(20):
            goes = self.worker(where, "goes")
            self.wait_until(
                lambda: self.log.read_text().count("worker goes joined") == i + 1, goes, "a worker"
            )
            goes.kill()
            with socket.create_connection((address[0], int(address[1])), timeout=30) as link:
                link.sendall(b"GET / HTTP/1.1\r\n\r\n")
            goes.wait()
        flag.touch()

        self.assertEqual(self.finish(client).json()["counts"]["TERMINATED"], 1)
        self.assertEqual(
            self.rows("SELECT node, end_class FROM attempts"),
            [{"node": "stays", "end_class": "finished"}],
        )
        self.stop(head)
        self.finish(stays)

    def test_a_head_may_leave_the_work_to_others(self):
        head, where = self.head("--no-local")
        client = self.submit(self.job("x"), where, "-o", "json")
        self.wait_until(lambda: "experiment x" in self.log.read_text(), head, "the experiment")
        worker = self.worker(where, "w")

        self.assertEqual(self.finish(client).json()["counts"]["TERMINATED"], 2)
        self.assertEqual({row["node"] for row in self.rows("SELECT node FROM attempts")}, {"w"})
        self.stop(head)
        self.finish(worker)

    def test_workers_remove_what_an_experiment_left_when_it_is_over(self):
        head, where = self.head("--no-local")
        worker = self.worker(where, "w")
        jobs = self.directory / "work-w" / "jobs"
        waiting, flag = self.waiting_job("waiting", 1)
        longer = self.submit(waiting, where, "-o", "json")
        self.wait_for_reports("waiting", 3, longer)
        flag.touch()

        self.assertEqual(self.finish(longer).json()["counts"]["TERMINATED"], 1)
        self.wait_until(lambda: not list(jobs.iterdir()), worker, "an empty directory of jobs")
        # The files needed by the next experiment are fetched again, or were kept.
        again = self.finish(self.submit(self.job("next", 1), where, "-o", "json")).json()

        self.assertEqual(again["counts"]["TERMINATED"], 1)
        self.wait_until(lambda: not list(jobs.iterdir()), worker, "an empty directory of jobs")
        self.stop(head)
        self.finish(worker)

    def test_files_beside_the_ini_file_come_along_to_the_workers_of_the_head(self):
        head, where = self.head("--no-local")
        worker = self.worker(where, "w", cpus=2)

        told = self.finish(self.submit(ROOT / "config" / "table.ini", where, "-o", "json")).json()

        self.assertEqual(told["counts"]["TERMINATED"], 36)
        nodes = {row["node"] for row in self.rows("SELECT node FROM attempts", "table")}
        self.assertEqual(nodes, {"w"})
        self.stop(head)
        self.finish(worker)

    def test_programs_are_given_all_that_their_keys_say_on_the_workers_of_the_head(self):
        head, where = self.head("--no-local")
        worker = self.worker(where, "w", cpus=4)
        place = self.directory / "client"
        place.mkdir()
        ini = shown_experiment(place)

        told = self.finish(self.submit(ini, where, "-o", "json")).json()

        self.assertEqual(told["best"]["metrics"]["acc"], 0.5)
        rows = self.rows("SELECT DISTINCT node, end_class FROM attempts")
        self.assertEqual(rows, [{"node": "w", "end_class": "finished"}])
        self.stop(head)
        self.finish(worker)

    def test_strict_and_failures_give_the_exit_codes_of_a_local_run(self):
        head, where = self.head()
        some = self.job("some", 4, tail='case "$TUNE_TRIAL_DIR" in *00001) exit 3;; esac')
        none = self.job("none", 2, tail="exit 3")

        self.finish(self.submit(some, where))
        strict = self.finish(self.submit(some, where, "--strict", "--experiment.name", "other"), 4)
        all_failed = self.finish(self.submit(none, where, "-o", "json"), 5)

        self.assertIn("trial 00001 failed", strict.err)
        self.assertEqual(all_failed.json()["counts"]["ERRORED"], 2)
        self.stop(head)


if __name__ == "__main__":
    main()
