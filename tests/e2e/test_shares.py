# SPDX-License-Identifier: BSD-3-Clause
"""Several users and experiments at one head: labels, taints, priorities, shares, quotas, a queue."""
import csv
import io
import re
import signal

from e2e import ROOT, CertifiedCase, main
from http_client import Served

# Reports every so often until its file exists, at least four times; saves on request, and goes on
# from what it saved.
TRIAL = """#!/bin/sh
i=0
[ -z "$TUNE_TRIAL_RESTORE" ] || i=$(cat "$TUNE_TRIAL_RESTORE/model")
echo '{"tune":1}' >&"$TUNE_TRIAL_REPORT_FD"
while [ $i -lt 4 ] || [ ! -e "%s" ]; do
  i=$((i+1))
  echo "{\\"metrics\\":{\\"loss\\":$i}}" >&"$TUNE_TRIAL_REPORT_FD"
  eval "read -r answer <&$TUNE_TRIAL_ANSWER_FD"
  case $answer in
    *'"dir"'*)
      to=$(echo "$answer" | sed 's/.*"dir":"\\([^"]*\\)".*/\\1/')
      echo $i > "$to/model"
      echo "{\\"saved\\":\\"$to\\"}" >&"$TUNE_TRIAL_REPORT_FD" ;;
  esac
  case $answer in *'"pause"'* | *'"stop"'*) exit 0 ;; esac
  sleep 0.1
done
"""


class Shares(CertifiedCase, Served):
    def setUp(self):
        super().setUp()
        self.storage = self.directory / "results"
        self.log = self.directory / "head.log"
        self.members = []

    def tearDown(self):
        for member in reversed(self.members):
            if member.poll() is None:
                member.send_signal(signal.SIGTERM)
        for member in self.members:
            self.finish(member)
        self.assert_no_trial_processes()

    # -- Who takes part.

    def begin_head(self, *words):
        with open(self.log, "w", encoding="utf-8") as err:
            self.head = self.start(
                *("head", "--listen", "127.0.0.1:0", "--certs", self.certs, "--no-local"),
                *("--storage", self.storage, "--work", self.directory / "work", *words), stderr=err
            )
        self.members.append(self.head)
        self.wait_until(lambda: "experiments may come" in self.log.read_text(), self.head, "a port")
        self.where = re.search(r"--head (\S+)", self.log.read_text()).group(1)

    def begin_worker(self, name, *words, cpus=2):
        self.members.append(self.start(
            *("worker", "--join", self.where, "--name", name, "--cpus", cpus, "--once"),
            *("--certs", self.certs, "--work", self.directory / ("work-" + name), *words)
        ))
        self.wait_until(lambda: name + " joined" in self.log.read_text(), self.head, "a worker")

    def user(self, name):
        """The certificates of a user."""
        place = self.directory / name
        if not place.exists():
            self.run_node("certs", "issue", name, "--out", place, "--certs", self.certs)
        return place

    def submit(self, name, user="alice", samples=2, rest="", experiment=""):
        """Submits an experiment whose trials run until a file exists, which is returned."""
        place = self.directory / ("files of " + name)
        place.mkdir()
        flag = self.directory / (name + " may end")
        trial = place / "trial.sh"
        trial.write_text(TRIAL % flag)
        trial.chmod(0o755)
        (place / (name + ".ini")).write_text(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n%s"
            "[trainable]\ncommand = ./trial.sh {x}\n[space]\nx = uniform(0, 1)\n"
            "[failure]\nbackoff = 0\n%s" % (samples, experiment, rest)
        )
        self.at_head("run", place / (name + ".ini"), "--detach", user=user)
        return flag

    # -- What is seen.

    def at_head(self, command, *words, user="alice", **how):
        return self.run_node(
            command, *words, "--head", self.where, "--certs", self.user(user), **how
        )

    def status_of(self, name, user="alice"):
        return self.at_head("status", name, "-o", "json", user=user).json()

    def standing(self, name, user="alice"):
        return (self.status_of(name, user)["head"] or {}).get("allocation") or {}

    def running(self, name, user="alice"):
        return self.standing(name, user).get("running")

    def waits_for(self, name, user="alice"):
        return (self.status_of(name, user)["head"] or {}).get("waits_for") or ""

    def listed(self):
        rows = csv.DictReader(io.StringIO(self.at_head("list", "experiments", "-o", "csv").out))
        return {row["experiment"]: row for row in rows}

    def end(self, name, flag, user="alice"):
        flag.touch()
        return self.at_head("wait", name, "-o", "json", user=user).json()

    def nodes_of(self, name):
        return {row["node"] for row in self.rows("SELECT node FROM attempts", name)}

    # -- Tests.

    def test_trials_go_where_labels_and_taints_let_them(self):
        self.begin_head()
        self.begin_worker("a", "--label", "zone=a", "--label", "disk_gb=100")
        self.begin_worker("b", "--label", "zone=b", "--label", "disk_gb=900", "--taint", "spot")
        chosen = self.submit("chosen", rest="[resources]\nrequire = zone in (b, c) and disk_gb > 500"
                                            "\ntolerate = spot\n")
        plain = self.submit("plain", rest="[resources]\nrequire = disk_gb >= 100\n")
        self.wait_until(lambda: self.running("chosen") == 2 and self.running("plain") == 2,
                        self.head, "trials on both workers")
        told = self.at_head("status", "chosen").out
        self.assertIn("\n  node a: disk_gb=100, zone=a\n"
                      "  node b: disk_gb=900, zone=b; taint spot\n", told)
        nodes = {x["node"]: x for x in self.status_of("chosen")["nodes"]}
        self.assertEqual(nodes["b"]["labels"], ["disk_gb=900", "zone=b"])
        self.assertEqual((nodes["a"]["taints"], nodes["b"]["taints"]), ([], ["spot"]))
        lacking = self.submit("lacking", rest="[resources]\nrequire = gpu_model == A100\n")

        why = "no node meets require = gpu_model == A100"
        self.wait_until(lambda: why in self.waits_for("lacking"), self.head, "the reason")
        self.assertIn(why, self.at_head("status", "lacking").out)
        self.assertIn(why, self.at_head("trials", "lacking", "--why", 0).out)
        self.assertIn("experiment lacking: trials wait, as " + why, self.log.read_text())
        self.begin_worker("c", "--label", "gpu_model=A100")
        self.assertEqual(self.end("lacking", lacking)["status"], "done")
        for name, flag in (("chosen", chosen), ("plain", plain)):
            self.assertEqual(self.end(name, flag)["counts"]["TERMINATED"], 2)
        self.assertEqual(self.nodes_of("lacking"), {"c"})
        self.assertEqual(self.nodes_of("chosen"), {"b"})
        self.assertEqual(self.nodes_of("plain"), {"a"})

    def test_a_higher_priority_makes_others_pause_and_they_lose_nothing(self):
        self.begin_head()
        self.begin_worker("a")
        low = self.submit("low", samples=3)
        self.wait_until(lambda: self.running("low") == 2, self.head, "trials of the lower priority")
        high = self.submit("high", "bob", samples=2, experiment="priority = 5\n")

        self.wait_until(lambda: self.running("high", "bob") == 2, self.head, "room")
        self.assertEqual(self.running("low"), 0)
        self.assertEqual(self.standing("low")["made_room"], 2)
        self.assertEqual(self.standing("low")["made_room_for"], "high of bob, priority 5")
        self.assertIn("the last for high of bob, priority 5", self.at_head("status", "low").out)
        # All that are pending wait, whether the head was asked for room for them yet or not.
        self.wait_until(lambda: self.standing("low")["waiting"] == 3, self.head, "all to wait")
        reason = "waits for its turn: it made room for high of bob, priority 5"
        reasons = [x["reason"] for x in self.at_head("trials", "low", "-o", "json").json()]
        self.assertEqual(sorted(reasons), ["", reason, reason])
        told = "those of high of bob, priority 5: some of this experiment save and pause"
        self.wait_until(lambda: told in self.log.read_text(), self.head, "words on it")
        self.assertIn("behind", self.waits_for("low") + " behind")
        self.assertEqual(self.end("high", high, "bob")["counts"]["TERMINATED"], 2)
        ended = self.end("low", low)
        self.assertEqual(ended["counts"]["TERMINATED"], 3)
        self.assertEqual(ended["counts"]["ERRORED"], 0)
        for trial in range(3):
            numbers = [row["training_iteration"] for row in self.rows(
                "SELECT * FROM results WHERE trial = %d ORDER BY seq" % trial, "low")]
            self.assertEqual(numbers, list(range(1, len(numbers) + 1)), "no report is lost")
        kinds = [row["end_class"] for row in self.rows("SELECT end_class FROM attempts", "low")]
        self.assertEqual(kinds.count("paused"), 2, kinds)
        made_room = self.rows("SELECT trial, detail FROM attempts WHERE end_class = 'paused'", "low")
        self.assertEqual({row["detail"] for row in made_room},
                         {"made room for high of bob, priority 5"})
        self.assertIn("made room for high of bob, priority 5",
                      self.at_head("trials", "low", "--why", made_room[0]["trial"]).out)
        self.assertEqual(set(kinds), {"paused", "finished"})

    def test_users_share_alike_whatever_the_number_of_their_experiments(self):
        self.begin_head()
        all_of_them = [(name, user, self.submit(name, user)) for name, user in (
            ("first", "alice"), ("second", "alice"), ("other", "bob"))]
        for name, user, _ in all_of_them:
            self.wait_until(lambda n=name, u=user: self.standing(n, u).get("waiting", 0) > 0,
                            self.head, "requests of all")
        self.begin_worker("a")

        self.wait_until(lambda: self.running("other", "bob") == 1, self.head, "half of the room")
        self.assertEqual((self.running("first"), self.running("second")), (1, 0))
        self.assertIn("first holds 1 of 2 CPU", self.waits_for("second"))
        # What ends makes room for the others, whose trials have to be able to end, too.
        for _, _, flag in all_of_them:
            flag.touch()
        for name, user, flag in all_of_them:
            self.assertEqual(self.end(name, flag, user)["status"], "done")

    def test_quotas_and_the_queue_hold_and_are_seen(self):
        self.begin_head("--quota", "alice=trials:1", "--quota", "*=cpu:2", "--max-experiments", 2,
                        "--http", "127.0.0.1:0")
        self.begin_worker("a", cpus=4)
        flags = {}
        for name, user, words in (("x", "alice", ""), ("y", "bob", ""), ("z", "bob", ""),
                                  ("urgent", "bob", "priority = 3\n")):
            flags[name] = (self.submit(name, user, samples=3, experiment=words), user)
        self.wait_until(lambda: self.running("y", "bob") == 2 and self.running("x") == 1, self.head,
                        "trials of x and y")
        self.assertIn("quota of alice, 1 trial", self.waits_for("x"))
        self.assertIn("quota of bob, 2 CPU", self.waits_for("y", "bob"))

        self.assertEqual(self.standing("urgent", "bob")["place"], 1)
        self.assertEqual(self.standing("z", "bob")["place"], 2)
        self.assertIn("queued at place 2", self.waits_for("z", "bob"))
        self.assertIn("queued at place 2", self.at_head("status", "z", user="bob").out)
        rows = self.listed()
        self.assertEqual((rows["z"]["place"], rows["z"]["user"]), ("2", "bob"))
        self.assertEqual(rows["urgent"]["priority"], "3")
        shown = self.at_head("list", "experiments").out
        self.assertRegex(shown, r"z +queued 2 +bob +0 ")
        self.assertRegex(shown, r"urgent +queued 1 +bob +3 ")
        self.take_link(self.log.read_text())
        self.assertEqual(self.api("/z")["allocation"]["place"], 2)
        self.assertEqual(self.api("/z")["allocation"]["quota"], {"cpu": {"used": 2, "total": 2}})
        self.assertEqual(self.standing("x")["quota"], {"trials": {"used": 1, "total": 1}})
        self.assertIn("\n  quota of bob: 2 of 2 CPU\n", self.at_head("status", "z", user="bob").out)
        self.at_head("run", self.directory / "files of x" / "x.ini", "--detach", user="bob",
                     code=None)
        for line in ("x of alice runs: 3 trials\n", "x of bob was refused: ",
                     "z of bob is queued at place 1: 3 trials\n"):
            self.wait_until(lambda text="experiment " + line: text in self.log.read_text(),
                            self.head, line)
        self.assertNotIn("experiment z of bob runs", self.log.read_text())
        for flag, _ in flags.values():
            flag.touch()
        for name in ("x", "y", "urgent", "z"):
            self.assertEqual(self.end(name, *flags[name])["counts"]["TERMINATED"], 3)
        self.wait_until(lambda: "experiment z of bob runs: 3 trials\n" in self.log.read_text(),
                        self.head, "the line in the log")

    def test_the_shipped_examples_share_a_cluster_as_they_say(self):
        self.begin_head("--max-experiments", 2)
        self.begin_worker("a", "--label", "gpu_model=A100", "--label", "disk_gb=500")
        self.begin_worker("b", "--taint", "spot")
        small = ("--detach", "--experiment.num_samples", 4, "--space.epochs", 3)
        for name, user in (("shared-patient", "alice"), ("shared-urgent", "bob")):
            self.at_head("run", ROOT / "config" / (name + ".ini"), *small, user=user)

        for name, user, priority in (("shared-patient", "alice", -10), ("shared-urgent", "bob", 10)):
            self.assertEqual(self.at_head("wait", name, "-o", "json", user=user).json()["counts"],
                             {"PENDING": 0, "RUNNING": 0, "PAUSED": 0, "TERMINATED": 4,
                              "ERRORED": 0})
            spec = self.rows("SELECT spec FROM experiment", name)[0]["spec"]
            self.assertIn(str(priority), spec)
        self.assertEqual(self.nodes_of("shared-urgent"), {"a"})
        self.assertLessEqual(self.nodes_of("shared-patient"), {"a", "b"})

    def test_what_no_node_can_run_keeps_no_place_in_the_queue(self):
        self.begin_head("--max-experiments", 1)
        self.begin_worker("a")
        lacking = self.submit("lacking", rest="[resources]\nrequire = gpu_model == A100\n")
        first = self.submit("first", "bob")
        second = self.submit("second", "bob")

        self.wait_until(lambda: self.running("first", "bob") == 2, self.head, "trials of the first")
        self.wait_until(lambda: "no node meets" in self.waits_for("lacking"), self.head, "why")
        self.assertTrue(self.standing("lacking")["stands_aside"])
        self.assertEqual(self.standing("lacking")["place"], 0)
        self.assertIn("until then it takes no place among", self.waits_for("lacking"))
        self.assertIn("it takes no place in the queue", self.at_head("status", "lacking").out)
        self.assertEqual(self.standing("second", "bob")["place"], 1)
        shown = self.at_head("list", "experiments").out
        self.assertRegex(shown, r"lacking +without a node")
        self.assertRegex(shown, r"second +queued 1")
        # It is back where it was as soon as a node is there, before those that came later.
        self.begin_worker("b", "--label", "gpu_model=A100")
        self.wait_until(lambda: self.standing("lacking")["place"] == 1, self.head, "its place")
        self.assertEqual(self.standing("second", "bob")["place"], 2)
        for name, user, flag in (("first", "bob", first), ("lacking", "alice", lacking),
                                 ("second", "bob", second)):
            self.assertEqual(self.end(name, flag, user)["status"], "done")
        self.assertEqual(self.nodes_of("lacking"), {"b"})

    def test_a_request_beyond_the_quota_is_told(self):
        self.begin_head("--quota", "*=cpu:1")
        self.begin_worker("a")
        self.submit("x", rest="[resources]\ncpu = 2\n")

        why = "the quota of alice, 1 CPU, never allows 2 CPU"
        self.wait_until(lambda: why in self.waits_for("x"), self.head, "the reason")
        self.at_head("stop", "x")
        # Neither could any node hold it: no worker that may still join would mend that.
        self.submit("y", rest="[resources]\ncpu = 3\n")
        why = "trials wait, as the quota of alice, 1 CPU, never allows 3 CPU"
        logged = "experiment y: " + why + "\n"
        self.wait_until(lambda: logged in self.log.read_text(), self.head, "the line in the log")
        self.assertEqual(self.waits_for("y"), why)
        self.assertIn(why + "\n", self.at_head("status", "y").out)
        self.assertIn(why + "\n", self.at_head("trials", "y", "--why", 0).out)
        self.assertEqual(self.listed()["y"]["waits_for"], why)
        self.at_head("stop", "y")

    def test_nonsense_is_named_with_its_place_and_its_range(self):
        for words, why in (
            (("--label", "zone"), "--label: 'zone' is not NAME=VALUE"),
            (("--label", "a=b", "--label", "a=c"), "--label: 'a' is given two values"),
            (("--taint", "1"), "--taint: '1' is not NAME or NAME=VALUE"),
        ):
            told = self.run_node("worker", "--join", "127.0.0.1:1", *words, code=2).err
            self.assertIn(why, told)
        for words, why in (
            (("--quota", "alice"), "names no user, or no limit"),
            (("--quota", "alice=cpu:x"), "'x' is not a number from 0 to 1000000"),
            (("--quota", "alice=disk:1"), "'disk:1' is no limit"),
            (("--quota", "a=cpu:1", "--quota", "a=cpu:2"), "'a' has two quotas"),
            (("--max-experiments", "-1"), "'-1' is not within 0 to 100000"),
        ):
            told = self.run_node("head", "--listen", "127.0.0.1:0", *words, code=2).err
            self.assertIn(why, told)
        for key, why in (
            ("[experiment]\npriority = 1001", "must be a whole number, -1000 to 1000"),
            ("[experiment]\nshare = 0", "must be a number, 0.001 to 1000"),
            ("[resources]\nrequire = zone = b", "column 6: expected '=='"),
            ("[resources]\ntolerate = 1x", "'1x' is not NAME or NAME=VALUE"),
            ("[cluster]\nlabels = zone", "'zone' is not NAME=VALUE"),
        ):
            rest = "" if key.startswith("[experiment]") else "[experiment]\n"
            ini = self.ini("%s\n%smetric = loss\n[trainable]\ncommand = true\n[space]\nx = 1\n"
                           % (key, rest))
            told = self.run_node("config", "check", ini, code=3).err
            section, line = key.split("\n")
            self.assertIn("x.ini:2: %s %s: %s" % (section, line, why), told)

    def test_a_run_on_this_machine_alone_says_what_it_is_not(self):
        ini = self.experiment("true", more="[resources]\nrequire = zone == b\n")
        told = self.run_node("run", ini, code=None)
        self.assertIn("[resources] require = zone == b: no node meets require = zone == b",
                      told.err)
        labelled = ini.read_text().replace("[cluster]\n", "[cluster]\nlabels = zone=b\n")
        told = self.run_node("run", self.ini(labelled, "y.ini"), code=None)
        self.assertNotIn("no node meets", told.err)


if __name__ == "__main__":
    main()
