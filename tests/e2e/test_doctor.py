# SPDX-License-Identifier: BSD-3-Clause
"""`doctor`: each thing that keeps a worker from its head is found, at its step, with a remedy; and
the head does not notice."""
import shutil
import socket
import subprocess
import threading
import unittest

import own_mounts
from e2e import OTHER_NODE, TUNE_NODE, clean_environment, main
from standing import StandingCase
from test_clocks import MISSING, false_clock

STEPS = ["name", "port", "certificates", "TLS", "head", "version", "cluster", "clock", "storage",
         "work"]


class Listener:
    """A port that is no head: `serve` gets each connection."""

    def __init__(self, serve):
        self.port = socket.create_server(("127.0.0.1", 0))
        self.where = "127.0.0.1:%d" % self.port.getsockname()[1]
        self.serve = serve
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        kept = []
        while True:
            try:
                link, _ = self.port.accept()
            except OSError:
                return
            kept.append(link)
            self.serve(link)


class Doctor(StandingCase):
    def examine(self, where, *words, code=0, certs=None, program=TUNE_NODE, **how):
        """Runs doctor; returns what it told, and its steps by name."""
        told = self.finish(
            self.start(
                *("doctor", "--join", where, "--certs", certs or self.certs, "-o", "json"),
                *(() if "--work" in words else ("--work", self.directory / "doctor")),
                *words, program=program, **how
            ),
            code,
        ).json()
        steps = {step["step"]: step for step in told["steps"]}
        self.assertEqual(set(steps), set(STEPS))
        self.assertEqual(told["ok"], code == 0, told)
        return told, steps

    def assert_fails_at(self, name, text, where, *words, code, **how):
        """It fails at this step, with these words and a remedy; all before it was fine, and what
        depends on it was left out."""
        told, steps = self.examine(where, *words, code=code, **how)
        self.assertEqual(told["failed"], name, told)
        self.assertIn(text, steps[name]["detail"])
        before = STEPS[: STEPS.index(name)]
        self.assertNotIn("failed", {steps[x]["state"] for x in before}, told)
        self.assertNotIn("skipped", {steps[x]["state"] for x in before}, told)
        # What is wrong with certificates says itself what to do.
        self.assertTrue(steps[name]["remedy"] or name == "certificates", told)
        return steps

    def assert_rest_is_skipped(self, name, steps):
        rest = STEPS[STEPS.index(name) + 1 : -1]
        self.assertEqual({steps[x]["state"] for x in rest}, {"skipped"})

    def test_finds_all_well_and_leaves_no_trace_at_the_head(self):
        head, where = self.head("--no-local")

        told, steps = self.examine(where, certs=self.issued("w1"))

        self.assertIsNone(told["failed"])
        self.assertEqual({x["state"] for x in steps.values()}, {"ok"})
        self.assertIn("CN=w1", steps["certificates"]["detail"])
        self.assertIn("here, too", steps["storage"]["detail"])
        shown = self.run_node("doctor", "--join", where, "--certs", self.certs).out
        self.assertIn("all is well", shown)
        # The head knows of no node and no client, and goes on.
        log = self.said()
        self.assertNotIn("worker ", log.split("experiments may come")[1])
        worker = self.worker(where, "real")
        self.wait_until(lambda: "worker real joined" in self.said(), head, "a worker")
        head.terminate()
        self.finish(head)
        worker.terminate()
        self.finish(worker)
        self.assertFalse((self.storage / ".tune_storage").exists())
        self.assertFalse((self.directory / "doctor").exists(), "it makes nothing")

    def walk(self, *addresses, code=0):
        """Runs doctor for several addresses; returns what it told, and its steps by these."""
        told = self.run_node(
            *("doctor", "--join", ",".join(addresses), "--certs", self.certs, "-o", "json"),
            *("--work", self.directory / "doctor"), code=code
        ).json()
        found = {x: {} for x in (*addresses, None)}
        for step in told["steps"]:
            found[step["address"]][step["step"]] = step
        for address in addresses:
            self.assertEqual(list(found[address]), STEPS[:-1])
        self.assertEqual(list(found[None]), ["work"])
        return told, found

    def test_walks_to_each_address_of_a_head(self):
        _, where = self.head("--no-local")
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            asleep = "127.0.0.1:%d" % bound.getsockname()[1]

            told, found = self.walk(asleep, where)
            self.assertTrue(told["ok"], told)
            self.assertEqual(found[asleep]["port"]["state"], "warning")
            self.assertIn("stands by", found[asleep]["port"]["remedy"])
            skipped = {x["detail"] for x in found[asleep].values() if x["state"] == "skipped"}
            self.assertEqual(skipped, {"nothing listens there"})
            self.assertEqual({x["state"] for x in found[where].values()}, {"ok"})
            words = ("--certs", self.certs, "--work", self.directory / "doctor")
            shown = self.run_node("doctor", "--join", asleep + "," + where, *words).out
            self.assertIn("\n%s:\nok " % where, shown)
            self.assertIn("\nthis machine:\nok ", shown)

            # Where no head leads, it is no excuse that one may stand by.
            told, found = self.walk(asleep, "no-such-host.invalid:7700", code=6)
            self.assertEqual((told["failed"], told["failed_at"]), ("port", asleep))
        stranger = Listener(lambda link: link.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"))
        told, found = self.walk(where, stranger.where, code=8)
        self.assertEqual((told["failed"], told["failed_at"]), ("TLS", stranger.where))
        self.assertEqual({x["state"] for x in found[where].values()}, {"ok"})

    def test_clients_wait_for_a_silent_address_only_where_no_other_is_a_head(self):
        calls = []
        silent = Listener(calls.append)
        _, where = self.head("--no-local")
        words = ("list", "experiments", "--certs", self.certs, "--head")

        self.run_node(*words, silent.where + "," + where)
        # Where the machine is slow, the head itself may be taken for silent at first.
        self.assertIn(len(calls), (1, 2, 3))

        # It has three times to say something, the last of them as long as that of a lone address.
        calls.clear()
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            asleep = "127.0.0.1:%d" % bound.getsockname()[1]
            told = self.run_node(*words, silent.where + "," + asleep, code=6).err
        self.assertEqual(len(calls), 3)
        self.assertIn(asleep + ": nobody listens there", told)
        self.assertIn(silent.where + ": no answer to the TLS handshake in time", told)

    def test_tells_a_storage_that_is_not_shared(self):
        _, where = self.head()
        (self.storage / ".tune_storage").unlink()

        _, steps = self.examine(where)

        self.assertIn("is not here", steps["storage"]["detail"])

    def test_finds_a_name_that_cannot_be_resolved(self):
        steps = self.assert_fails_at(
            "name", "cannot be resolved", "no-such-host.invalid:7700", code=6
        )
        self.assert_rest_is_skipped("name", steps)

    def test_finds_a_wrong_port(self):
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            where = "127.0.0.1:%d" % bound.getsockname()[1]
            steps = self.assert_fails_at("port", where, where, code=6)
        self.assert_rest_is_skipped("port", steps)

    def test_finds_a_listener_that_is_silent(self):
        other = Listener(lambda link: None)
        steps = self.assert_fails_at("TLS", "no answer to the TLS handshake", other.where, code=6)
        self.assert_rest_is_skipped("TLS", steps)

    def test_finds_a_listener_that_speaks_no_tls(self):
        other = Listener(lambda link: link.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"))
        self.assert_fails_at("TLS", "does not speak TLS", other.where, code=8)

    def test_finds_a_listener_that_speaks_tls_and_is_no_head(self):
        certs = [self.certs / x for x in ("node.pem", "node.key", "ca.pem")]
        server = subprocess.Popen(
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-tls1_3", "-cert", certs[0],
             "-key", certs[1], "-CAfile", certs[2], "-Verify", "1"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )

        def put_away():
            server.kill()
            server.communicate()

        self.addCleanup(put_away)
        for line in server.stdout:
            if line.startswith("ACCEPT "):
                where = line.split()[1]
                break
        told, steps = self.examine(where, code=6)
        self.assertEqual(told["failed"], "TLS")
        self.assertIn("said nothing in time", steps["TLS"]["detail"])

    def test_finds_certificates_of_another_ca(self):
        _, where = self.head()
        foreign = self.directory / "foreign"
        self.run_node("certs", "init", "--cluster", "test", "--certs", foreign)

        self.assert_fails_at("TLS", "another CA", where, code=8, certs=foreign)

    def test_finds_certificates_that_are_missing_or_open_to_others(self):
        _, where = self.head()
        self.assert_fails_at(
            "certificates", "there is no such file", where, code=8, certs=self.directory / "none"
        )
        open_to_all = self.issued("open")
        (open_to_all / "node.key").chmod(0o644)
        self.assert_fails_at("certificates", "chmod 600", where, code=8, certs=open_to_all)
        mixed = self.issued("mixed")
        shutil.copy(self.issued("second") / "node.pem", mixed / "node.pem")
        self.assert_fails_at("certificates", "does not belong to", where, code=8, certs=mixed)

    @unittest.skipIf(MISSING, MISSING)
    def test_finds_an_expired_certificate_and_warns_of_one_that_soon_is(self):
        _, where = self.head()
        brief = self.issued("brief", "--days", "29")

        _, steps = self.examine(where, certs=brief)
        self.assertEqual(steps["certificates"]["state"], "warning")
        self.assertRegex(steps["certificates"]["remedy"], "expires in 2[89] days")

        later = clean_environment(**false_clock(FAKETIME="+40d"))
        steps = self.assert_fails_at(
            "certificates", "expired on", where, code=8, certs=brief, env=later
        )
        self.assert_rest_is_skipped("certificates", steps)

    @unittest.skipIf(MISSING, MISSING)
    def test_finds_clocks_that_differ(self):
        _, where = self.head()
        for shift, word in (("-30s", "ahead"), ("+30s", "behind")):
            env = clean_environment(**false_clock(FAKETIME=shift))
            steps = self.assert_fails_at("clock", word, where, code=3, env=env)
            self.assertEqual(steps["storage"]["state"], "ok")

    def test_finds_another_version_and_another_cluster(self):
        _, where = self.head("--cluster", "lab")

        steps = self.assert_fails_at(
            "version", "9.8.7", where, "--cluster", "lab", code=8, program=OTHER_NODE
        )
        self.assertEqual(steps["clock"]["state"], "ok", "the other steps go on")
        steps = self.assert_fails_at("cluster", "'lab'", where, code=8)
        self.assertIn("--cluster lab", steps["cluster"]["remedy"])

    def test_finds_a_work_directory_that_cannot_be_used(self):
        _, where = self.head()
        (self.directory / "file").write_text("")

        told, _ = self.examine(where, "--work", self.directory / "file" / "x", code=7)

        self.assertEqual(told["failed"], "work")
        # As a worker, which would remove what it finds there.
        (self.directory / "theirs").mkdir()
        (self.directory / "theirs" / "thesis").write_text("")
        for place in (self.directory / "theirs", "/proc/work"):
            told, _ = self.examine(where, "--work", place, code=7)
            self.assertEqual(told["failed"], "work", place)

    def test_reads_its_words_strictly(self):
        for words in (["--join", "nonsense"], ["--cluster", "x"], ["--insecure-plaintext"]):
            self.run_node("doctor", *words, code=2)

    def test_looks_at_this_machine(self):
        told = self.run_node("doctor", "--certs", self.certs, "-o", "json").json()
        self.assertTrue(told["ok"], told)
        names = [step["step"] for step in told["steps"]]
        for name in ("machine", "cgroups", "descriptors", "storage", "work", "certificates"):
            self.assertIn(name, names)
        rows = self.run_node("doctor", "--certs", self.certs, "-o", "csv").out.splitlines()
        self.assertEqual(rows[0], "step,state,detail,remedy,address")
        nothing = clean_environment(PATH="/nonexistent", HOME=str(self.directory / "home"))
        told = self.run_node("doctor", "-o", "json", env=nothing).json()
        states = {step["step"]: step["state"] for step in told["steps"]}
        self.assertEqual(states["Python"], "warning")
        self.assertEqual(states["certificates"], "ok")


class Memory(StandingCase):
    def test_a_limit_that_a_worker_cannot_enforce_is_told_once(self):
        if own_mounts.why_not():
            self.skipTest(own_mounts.why_not())
        # In its namespace the worker has no control groups.
        bare = ["--mount", "--propagation", "private", "sh", "-c",
                'mount -t tmpfs none /sys/fs/cgroup && exec "$@"', "sh", TUNE_NODE]
        if subprocess.run(["unshare", *bare[:-1], "true"], check=False).returncode != 0:
            self.skipTest("nothing can be mounted at /sys/fs/cgroup")
        head, where = self.head()
        with open(self.directory / "far.log", "w", encoding="utf-8") as err:
            self.start(*bare, "worker", "--join", where, "--name", "far", "--cpus", 2,
                       "--label", "place=far", "--certs", self.certs,
                       "--work", self.directory / "work-far",
                       program=shutil.which("unshare"), stderr=err)
        ini = self.ini("[experiment]\nmetric = loss\nnum_samples = 4\n[trainable]\n"
                       "command = echo loss={x}\nmetric.loss = loss={number}\n"
                       "[space]\nx = uniform(0, 1)\n"
                       "[resources]\nmemory = 100MB\nrequire = place == far\n")
        told = self.run_node("run", ini, "--head", where, "--certs", self.certs)
        free = self.run_node("run", ini, "--head", where, "--certs", self.certs,
                             "--experiment.name", "free", "--resources.memory", "0")
        self.assertIsNone(head.poll())
        text = "memory: only counted, not enforced at node far"
        self.assertEqual(told.err.count(text), 1, told.err)
        self.assertNotIn(text, free.err)


if __name__ == "__main__":
    main()
