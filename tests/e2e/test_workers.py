# SPDX-License-Identifier: BSD-3-Clause
"""One experiment on several nodes: a head and workers as processes, over mutual TLS."""
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess

from e2e import OTHER_NODE, ROOT, TUNE_NODE, CertifiedCase, main

# A configuration for `openssl ca`.
AUTHORITY = """
[ca]
default_ca = here
[here]
database = {directory}/index
serial = {directory}/serial
new_certs_dir = {directory}
default_md = sha256
policy = any
x509_extensions = node
[any]
commonName = supplied
[node]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
"""

# Files of config/ that need more than the program, with the words that make them small enough for a
# test.
EXAMPLES = {
    "hyperband-svm": ["--experiment.num_samples", "8", "--scheduler.max_t", "3"],
    "svm-digits": ["--experiment.num_samples", "2", "--space.kernel", "linear"],
    "table": [],
    "python-digits": ["--experiment.num_samples", "2", "--space.epochs", "2"],
}
PROGRAMS = {"hyperband-svm": "svm-train", "svm-digits": "svm-train"}


class Workers(CertifiedCase):
    def cluster_ini(self, more="", samples=8, tail="", cpus=1):
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n[trainable]\n%s"
            "[space]\nx = uniform(0, 1)\n[cluster]\ncpus = %d\n%s\n"
            % (samples, self.three_reports(self.directory, "shipped words", tail), cpus, more)
        )

    def head(self, ini, *words):
        """Starts a head that listens. Returns it and the address for workers."""
        log = self.directory / "head.log"
        with open(log, "w", encoding="utf-8") as err:
            head = self.start(
                "run", ini, "--listen", "127.0.0.1:0", "--certs", self.certs, *words, stderr=err
            )
        self.wait_until(lambda: "workers may join" in log.read_text(), head, "an open port")
        return head, re.search(r"--join (\S+)", log.read_text()).group(1)

    def said(self):
        """The head's output so far."""
        return (self.directory / "head.log").read_text()

    def worker(self, where, name, *words, certs=None, cpus=1, program=TUNE_NODE):
        return self.start(
            *("worker", "--join", where, "--name", name, "--cpus", cpus, "--once"),
            *("--certs", certs or self.certs, "--work", self.directory / ("work-" + name)),
            *words, program=program
        )

    def issued(self, name, valid_from, valid_until):
        """A directory with a node's certificate of the cluster's CA, valid between two dates."""
        made = self.directory / ("certs-" + name)
        self.run_node("certs", "issue", name, "--out", made, "--certs", self.certs)
        (made / "index").write_text("")
        (made / "serial").write_text("77\n")
        (made / "ca.cnf").write_text(AUTHORITY.format(directory=made))
        for words in (
            ["req", "-new", "-key", made / "node.key", "-subj", "/CN=" + name, "-out", made / "csr"],
            ["ca", "-batch", "-notext", "-config", made / "ca.cnf", "-cert", self.certs / "ca.pem",
             "-keyfile", self.certs / "ca.key", "-in", made / "csr", "-out", made / "node.pem",
             "-startdate", valid_from, "-enddate", valid_until],
        ):
            subprocess.run(["openssl", *words], check=True, capture_output=True)
        return made

    @staticmethod
    def answer_of(where, certs=None):
        """A head's answer to a TLS client with these certificates; empty if it accepts the
        client."""
        how = ssl.create_default_context(ssl.Purpose.SERVER_AUTH)
        how.check_hostname = False
        how.verify_mode = ssl.CERT_NONE
        if certs:
            how.load_cert_chain(certs / "node.pem", certs / "node.key")
        host, port = where.rsplit(":", 1)
        with socket.create_connection((host, int(port)), timeout=30) as link:
            try:
                with how.wrap_socket(link) as spoken:
                    # In TLS 1.3 the refusal comes after the client's part is done.
                    spoken.sendall(b"x")
                    return "" if spoken.recv(1) else "closed"
            except ssl.SSLError as why:
                return why.reason or str(why)

    def test_trials_run_on_every_node_and_their_output_comes_back(self):
        ini = self.cluster_ini(tail="sleep 0.2")
        head, where = self.head(ini, "-o", "json")
        one, two = self.worker(where, "one"), self.worker(where, "two")

        told = self.finish(head).json()

        self.assertEqual(told["counts"]["TERMINATED"], 8)
        self.finish(one)
        self.finish(two)
        attempts = self.rows("SELECT trial, node FROM attempts")
        self.assertEqual({row["node"] for row in attempts}, {"local", "one", "two"})
        self.assertEqual(
            {row["node"]: row["state"] for row in self.rows("SELECT * FROM nodes")},
            {"local": "up", "one": "up", "two": "up"},
        )
        for row in attempts:
            out = self.trial_file(row["trial"], "stdout").read_text()
            err = self.trial_file(row["trial"], "stderr").read_text()
            self.assertRegex(out, "^out of .*/trials/%05d\n$" % row["trial"])
            self.assertRegex(err, "^err of [-0-9.e]+\nshipped words\n$")
            if row["node"] != "local":
                self.assertIn("work-" + row["node"], out)
        self.assertEqual(len(self.rows("SELECT * FROM results")), 24)
        self.assertEqual(list(self.directory.glob("work-*/jobs/*")), [])
        self.assertEqual(len(list(self.directory.glob("work-one/content/??/*"))), 3)
        self.assert_no_trial_processes()

    def test_a_head_that_does_not_work_itself_waits_for_its_workers(self):
        head, where = self.head(self.cluster_ini("local = false", samples=2), "-o", "json")
        worker = self.worker(where, "w")

        told = self.finish(head).json()

        self.assertEqual(told["counts"]["TERMINATED"], 2)
        self.assertEqual({row["node"] for row in self.rows("SELECT node FROM attempts")}, {"w"})
        self.finish(worker)

    def test_examples_run_on_a_worker_alone(self):
        """Examples whose files lie beside the INI file's directory: data, a table, a script and a
        module."""
        for name, more in EXAMPLES.items():
            with self.subTest(name):
                program = PROGRAMS.get(name)
                if program and not shutil.which(program):
                    self.skipTest(program + " is not there: scripts/install-deps.sh")
                head, where = self.head(
                    *(ROOT / "config" / (name + ".ini"), "--cluster.local", "false"),
                    *("-o", "json", *more)
                )
                worker = self.worker(where, "w", cpus=2)

                told = self.finish(head).json()

                self.finish(worker)
                self.assertGreater(told["counts"]["TERMINATED"], 0)
                self.assertEqual(sum(told["counts"].values()), told["counts"]["TERMINATED"])
                attempts = self.rows("SELECT node FROM attempts", name)
                self.assertEqual({row["node"] for row in attempts}, {"w"})
                self.assertGreater(told["best"]["metrics"]["accuracy"], 0)

    def test_what_cannot_be_shipped_is_refused_with_what_mends_it(self):
        (self.directory / "sub").mkdir()
        table = self.directory / "table.csv"
        table.write_text("config.x,training_iteration,loss\n1,1,0.5\n")
        outside = self.directory / "sub" / "outside.txt"
        outside.symlink_to(table)
        start = "[experiment]\nmetric = loss\n[space]\nx = 1\n[trainable]\n"
        up = "../" * len(self.directory.parts)
        cases = {
            "path = %s" % table: ["[trainable] path", str(table), '"../table.csv"'],
            "command = true\nfiles = %setc" % up: ["[trainable] files", "root of the file system"],
            "command = true {ini_dir}/outside.txt": ["[trainable] command", "leads out of", "copy"],
            "command = true\nfiles = *.none": ["[trainable] files", "*.none", "matches no file"],
        }
        for lines, words in cases.items():
            with self.subTest(lines):
                ini = self.ini(start + lines + "\n", "sub/x.ini")

                ran = self.run_node(
                    *("run", ini, "--listen", "127.0.0.1:0", "--certs", self.certs), code=3
                )

                for word in words:
                    self.assertIn(word, ran.err)
                self.assertFalse((self.directory / "results").exists())

    def test_trials_of_a_killed_worker_run_elsewhere(self):
        flag = self.directory / "go on"
        ini = self.cluster_ini("local = false", samples=2, tail='until [ -e "%s" ]; do sleep 0.05; done' % flag)
        head, where = self.head(ini, "-o", "json")
        first = self.worker(where, "first", cpus=2)
        self.wait_until(
            lambda: len(self.rows_if_any("SELECT * FROM results")) == 6, head, "six reports"
        )

        first.kill()
        self.assertNotEqual(list(self.directory.glob("work-first/jobs/*")), [])
        second = self.worker(where, "second", cpus=2)
        self.wait_until(
            lambda: self.rows("SELECT * FROM attempts WHERE node = 'second'"), head, "new attempts"
        )
        flag.touch()

        told = self.finish(head).json()
        self.assertEqual(told["counts"]["TERMINATED"], 2)
        lost = self.rows("SELECT end_class, detail FROM attempts WHERE node = 'first'")
        self.assertEqual([row["end_class"] for row in lost], ["node_lost"] * 2)
        self.assertIn("lost", lost[0]["detail"])
        states = {row["node"]: row["state"] for row in self.rows("SELECT * FROM nodes")}
        self.assertEqual(states, {"first": "down", "second": "up"})
        self.finish(second)
        self.assert_no_trial_processes()
        # The next worker there removes what the killed one left.
        self.finish(self.worker("127.0.0.1:1", "first", "--join-timeout", "1ms"), 6)
        self.assertEqual(list(self.directory.glob("work-first/jobs/*")), [])

    def test_a_worker_that_is_told_to_leave_hands_its_trials_back(self):
        flag = self.directory / "go on"
        ini = self.cluster_ini("local = false", samples=1, tail='until [ -e "%s" ]; do sleep 0.05; done' % flag)
        head, where = self.head(ini, "-o", "json")
        first = self.worker(where, "first", "--leave-grace", "100ms")
        self.wait_until(
            lambda: len(self.rows_if_any("SELECT * FROM results")) == 3, head, "three reports"
        )

        first.send_signal(signal.SIGTERM)
        self.finish(first)
        second = self.worker(where, "second")
        self.wait_until(
            lambda: self.rows("SELECT * FROM attempts WHERE node = 'second'"), head, "a new attempt"
        )
        flag.touch()

        self.assertEqual(self.finish(head).json()["counts"]["TERMINATED"], 1)
        ends = self.rows("SELECT node, end_class FROM attempts ORDER BY rowid")
        self.assertEqual(ends[0], {"node": "first", "end_class": "preempted"})
        self.assertEqual(self.rows("SELECT failures FROM trials")[0]["failures"], 0)
        self.finish(second)

    def test_whoever_does_not_belong_is_refused_with_the_cause(self):
        foreign = self.directory / "foreign"
        self.run_node("certs", "init", "--cluster", "other", "--certs", foreign)
        flag = self.directory / "go on"
        ini = self.cluster_ini(samples=1, tail='until [ -e "%s" ]; do sleep 0.05; done' % flag)
        head, where = self.head(ini)

        none = self.finish(self.worker(where, "w", certs=self.directory / "none"), 8)
        self.assertIn("tune-node certs init", none.err)
        other_ca = self.finish(self.worker(where, "w", certs=foreign), 8)
        self.assertRegex(other_ca.err, "(?i)another CA|foreign|unknown CA")
        other = self.finish(self.worker(where, "w", "--cluster", "lab"), 8)
        self.assertIn("other cluster: the head belongs to cluster 'default'", other.err)
        self.wait_until(lambda: "worker w was sent away: other cluster" in self.said(), head)
        plain = self.finish(self.worker(where, "w", "--insecure-plaintext"), 8)
        self.assertIn("TLS", plain.err)
        nobody = self.finish(self.worker("127.0.0.1:1", "w", "--join-timeout", "100ms"), 6)
        self.assertIn("127.0.0.1:1", nobody.err)

        flag.touch()
        self.finish(head)

    def test_certificates_that_do_not_count_are_refused_at_both_ends(self):
        flag = self.directory / "go on"
        ini = self.cluster_ini(samples=1, tail='until [ -e "%s" ]; do sleep 0.05; done' % flag)
        head, where = self.head(ini)
        good = self.issued("good", "20200101000000Z", "20900101000000Z")
        old = self.issued("old", "20200101000000Z", "20210101000000Z")
        early = self.issued("early", "20900101000000Z", "20910101000000Z")
        mixed = self.issued("mixed", "20200101000000Z", "20900101000000Z")
        (mixed / "node.key").write_text((old / "node.key").read_text())

        for certs, words in {
            old: ["node.pem: expired on 2021-01-01 00:00:00 UTC", "tune-node certs issue"],
            early: ["node.pem: valid only from 2090-01-01 00:00:00 UTC", "clock"],
            mixed: ["node.key: does not belong to", "node.pem"],
        }.items():
            with self.subTest(certs.name):
                refused = self.finish(self.worker(where, "w", certs=certs), 8)
                for word in words:
                    self.assertIn(word, refused.err)
        # The head does not accept them either, whatever the client thinks of its own certificate.
        self.assertIn("CERTIFICATE_EXPIRED", self.answer_of(where, old))
        self.assertIn("CERTIFICATE", self.answer_of(where, early))
        # The head's reason may be lost, since it closes the connection at once.
        self.assertRegex(self.answer_of(where), "CERTIFICATE_REQUIRED|EOF")
        joins = self.worker(where, "w", certs=good)

        self.wait_until(lambda: "worker w joined" in self.said(), head, "a worker")
        flag.touch()
        self.finish(head)
        self.finish(joins)

    def test_another_build_is_sent_away_with_both_versions(self):
        flag = self.directory / "go on"
        ini = self.cluster_ini(samples=1, tail='until [ -e "%s" ]; do sleep 0.05; done' % flag)
        head, where = self.head(ini)

        other = self.finish(self.worker(where, "w", program=OTHER_NODE), 8)

        self.assertRegex(
            other.err,
            r"other version: the head runs tune-node \S+ \(protocol \d+, CAF 0\.17\.\d\), "
            r"worker 'w' tune-node 9\.8\.7 \(protocol \d+, CAF 6\.5\.4\); install the same on both",
        )
        self.wait_until(lambda: "worker w was sent away: other version" in self.said(), head)
        flag.touch()
        self.finish(head)

    def test_a_plain_port_is_refused_but_for_loopback(self):
        ini = self.cluster_ini(samples=1)
        nowhere = self.directory / "none"

        open_port = self.run_node("run", ini, "--listen", "0.0.0.0:0", "--insecure-plaintext", code=8)
        without = self.run_node("run", ini, "--listen", "127.0.0.1:0", "--certs", nowhere, code=8)

        self.assertIn("plain text is refused for 0.0.0.0:0", open_port.err)
        self.assertIn("tune-node certs init", without.err)
        self.assertFalse((self.directory / "results").exists())

    def test_a_port_that_is_taken_is_found_before_anything_is_made(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            where = "127.0.0.1:%d" % other.getsockname()[1]

            ran = self.run_node(
                *("run", self.cluster_ini(), "--listen", where, "--certs", self.certs), code=8
            )

        self.assertIn("cannot listen on " + where, ran.err)
        self.assertFalse((self.directory / "results").exists())

    def test_random_bytes_at_the_port_disturb_nothing(self):
        flag = self.directory / "go on"
        ini = self.cluster_ini(samples=4, tail='until [ -e "%s" ]; do sleep 0.05; done' % flag)
        head, where = self.head(ini, "-o", "json")
        host, port = where.rsplit(":", 1)
        seed = os.urandom(8)
        for i in range(1000):
            with socket.create_connection((host, int(port)), timeout=30) as link:
                try:
                    link.sendall((seed + bytes([i % 256])) * 20)
                except OSError:
                    pass
        worker = self.worker(where, "w")
        self.wait_until(
            lambda: self.rows("SELECT * FROM attempts WHERE node = 'w'"), head, "a trial on w"
        )
        flag.touch()

        self.assertEqual(self.finish(head).json()["counts"]["TERMINATED"], 4, seed.hex())
        self.finish(worker)


if __name__ == "__main__":
    main()
