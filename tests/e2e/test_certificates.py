# SPDX-License-Identifier: BSD-3-Clause
"""Certificates of a running cluster: renewed, revoked, given for join tokens, and warned of before
they end."""
import json
import re
import shutil
import socket
import ssl
import threading
import unittest

from e2e import clean_environment, main
from standing import StandingCase
from test_clocks import MISSING, false_clock


class Living(StandingCase):
    def running(self, gate, worker_certs, name="w"):
        """A head, a worker, and a trial that runs there; all but the trial's address."""
        head, where = self.head("--no-local", "--lost-after", "3s")
        worker = self.worker(where, name, certs=worker_certs)
        self.wait_until(lambda: "joined: " in self.said(), head, "the worker")
        client = self.start(
            "run", self.gated(gate), "--head", where, "--certs", self.certs, "-o", "json"
        )
        self.wait_for_reports(3, client)
        return head, where, worker, client

    def fingerprint(self, certs):
        told = self.run_node("certs", "show", certs, "-o", "json").json()
        return [x["sha256"] for x in told if not x["authority"]][0]

    # -- Renewing.

    def test_are_renewed_at_head_and_worker_while_a_trial_runs(self):
        gate = self.directory / "go"
        mine = self.issued("w")
        head, where, worker, client = self.running(gate, mine)
        before = {x: self.fingerprint(x) for x in (self.certs, mine)}

        self.run_node("certs", "rotate", "--certs", self.certs)
        self.run_node("certs", "rotate", "--certs", self.certs, "--out", mine)

        for x, was in before.items():
            self.assertNotEqual(self.fingerprint(x), was)
        self.wait_until(lambda: "new connections use" in self.said(), head, "the head's word")
        self.wait_until(
            lambda: "new connections use" in self.worker_said("w"), worker, "the worker's word"
        )
        # The new certificate is what newcomers see.
        host, port = where.rsplit(":", 1)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.load_verify_locations(self.certs / "ca.pem")
        context.load_cert_chain(mine / "node.pem", mine / "node.key")
        with socket.create_connection((host, int(port))) as raw:
            with context.wrap_socket(raw) as link:
                shown = link.getpeercert(binary_form=True)
        stands = ssl.PEM_cert_to_DER_cert((self.certs / "node.pem").read_text())
        self.assertEqual(shown, stands)
        self.run_node("doctor", "--join", where, "--certs", mine)
        gate.touch()
        told = self.finish(client).json()
        self.assertEqual(told["counts"]["TERMINATED"], 1)
        attempts = self.rows("SELECT end_class, node FROM attempts")
        self.assertEqual([(x["end_class"], x["node"]) for x in attempts], [("finished", "w")])
        head.terminate()
        self.finish(head)

    def test_go_on_as_they_were_while_files_do_not_fit(self):
        head, where = self.head()
        other = self.issued("w")
        # Half of a renewal that another machine's copy does file by file.
        shutil.copy(self.issued("half") / "node.key", self.certs / "node.key")

        self.run_node("doctor", "--join", where, "--certs", other)
        self.wait_until(lambda: "does not belong to" in self.said(), head, "a word of it")
        self.run_node("doctor", "--join", where, "--certs", other)

        shutil.copy(self.directory / "half" / "node.pem", self.certs / "node.pem")
        self.wait_until(lambda: "new connections use" in self.said(), head, "the new one")
        self.run_node("doctor", "--join", where, "--certs", other)
        head.terminate()
        self.finish(head)

    def test_rotate_refuses_what_is_no_certificate_of_the_ca(self):
        foreign = self.directory / "foreign"
        self.run_node("certs", "init", "--certs", foreign)
        self.run_node("certs", "rotate", "--certs", self.certs, "--out", foreign, code=8)
        self.run_node("certs", "rotate", "--certs", self.certs, "--out", self.directory, code=8)
        self.run_node("certs", "rotate", "--certs", self.issued("w"), code=8)
        self.run_node("certs", "rotate", "x", code=2)

    # -- Revoking.

    def test_that_are_revoked_are_hung_up_on_and_let_in_no_more(self):
        gate = self.directory / "go"
        mine = self.issued("w")
        head, where, worker, client = self.running(gate, mine)
        other = self.issued("other")

        self.run_node("certs", "revoke", "w", "--certs", self.certs)

        self.wait_until(lambda: "CN=w) was revoked" in self.said(), head, "its end")
        gone = self.finish(worker, 8)
        self.assertIn("revoked", self.worker_said("w") + gone.err)
        # The trial goes on at a worker that is welcome.
        second = self.worker(where, "second", certs=other)
        self.wait_until(
            lambda: self.rows_if_any("SELECT * FROM results WHERE node = 'second'"), client,
            "reports from there",
        )
        gate.touch()
        self.assertEqual(self.finish(client).json()["counts"]["TERMINATED"], 1)
        told = self.run_node(
            "doctor", "--join", where, "--certs", mine, "-o", "json", code=8
        ).json()
        self.assertEqual(told["failed"], "TLS")
        # A new certificate of the name is another one.
        self.run_node("certs", "issue", "w", "--out", mine, "--force", "--certs", self.certs)
        self.wait_until(
            lambda: self.finish(
                self.start("doctor", "--join", where, "--certs", mine), None
            ).code in (0,),
            what="the new certificate's beginning",
        )
        for x in (head, second):
            x.terminate()
        self.finish(head)

    def test_revoke_takes_a_file_and_refuses_the_cluster_itself(self):
        w = self.issued("w")
        told = self.run_node(
            "certs", "revoke", w / "node.pem", "--certs", self.certs, "-o", "json"
        ).json()
        self.assertEqual(told["entries"], 1)
        text = (self.certs / "revoked").read_text()
        self.assertEqual(text, "sha256 %s\n" % self.fingerprint(w))
        self.run_node("certs", "revoke", self.certs / "node.pem", "--certs", self.certs, code=8)
        name = self.run_node("certs", "show", "--certs", self.certs, "-o", "json").json()
        own = re.search("CN=([^,]+)", [x["subject"] for x in name if not x["authority"]][0])
        self.run_node("certs", "revoke", own.group(1), "--certs", self.certs, code=8)
        self.assertEqual((self.certs / "revoked").read_text(), text)
        self.run_node("certs", "revoke", "--certs", self.certs, code=2)
        self.run_node("certs", "revoke", "no name", "--certs", self.certs, code=2)
        self.run_node("certs", "revoke", "no such/file", "--certs", self.certs, code=3)

    def test_a_damaged_list_stops_the_head_at_the_start_and_changes_nothing_later(self):
        head, where = self.head()
        (self.certs / "revoked").write_text("name w yesterday\n")
        self.wait_until(lambda: "the former list counts" in self.said(), head, "a word of it")
        self.assertIn("revoked: line 1", self.said())
        self.run_node("doctor", "--join", where, "--certs", self.issued_despite("w"))
        head.terminate()
        self.finish(head)
        refused = self.run_node(
            "doctor", "--join", where, "--certs", self.certs, code=None
        )
        self.assertNotEqual(refused.code, 0)

    def issued_despite(self, name):
        """Issuing reads the list, too, so it is put aside for a moment."""
        listed = (self.certs / "revoked").read_text()
        self.run_node(
            "certs", "issue", name, "--out", self.directory / name, "--certs", self.certs, code=8
        )
        (self.certs / "revoked").unlink()
        out = self.issued(name)
        (self.certs / "revoked").write_text(listed)
        return out

    # -- Their end.

    @unittest.skipIf(MISSING, MISSING)
    def test_are_warned_of_thirty_days_before_they_end(self):
        brief = self.issued("brief", "--days", "40")
        fresh = self.issued("fresh")
        soon = clean_environment(**false_clock(FAKETIME="+20d"))
        head, where = self.head(certs=brief, env=soon)
        self.wait_until(lambda: "expires in" in self.said(), head, "the head's warning")
        worker = self.worker(where, "w", certs=brief, env=soon)
        self.wait_until(lambda: "expires in" in self.worker_said("w"), worker, "the worker's")
        for certs, count in ((brief, 1), (fresh, 0)):
            said = self.run_node(
                "trials", "nobody", "--head", where, "--certs", certs, env=soon, code=None
            ).err
            self.assertEqual(said.count("expires in"), count, said)
            self.assertEqual(said.count("warning"), count, said)
        shown = self.run_node("certs", "show", brief, env=soon).out
        self.assertRegex(shown, r"\((19|20) days left: renew it\)")
        self.assertNotIn("renew it", self.run_node("certs", "show", fresh, env=soon).out)
        for x in (worker, head):
            x.terminate()
            self.finish(x)


class Tokens(StandingCase):
    def enrolling_head(self, *words):
        head, where = self.head("--enroll", "127.0.0.1:0", "--no-local", *words)
        self.wait_until(lambda: "--enroll " in self.said(), head, "the other port")
        return head, where, re.search(r"--enroll (\S+)", self.said()).group(1)

    def token(self, *words):
        return self.run_node("certs", "token", "--certs", self.certs, *words).out.strip()

    def joining(self, where, enroll, name, token, **how):
        certs = self.directory / ("own-" + name)
        return certs, self.worker(
            where, name, "--token", token, "--enroll", enroll, certs=certs, **how
        )

    def refused(self, where, enroll, name, token, text, code=8):
        certs, worker = self.joining(where, enroll, name, token)
        self.finish(worker, code)
        self.assertIn(text, self.worker_said(name))
        self.assertFalse((certs / "node.key").exists())

    def test_bring_a_worker_its_certificate_and_its_key_stays_there(self):
        head, where, enroll = self.enrolling_head()
        certs, worker = self.joining(where, enroll, "w1", self.token())

        self.wait_until(lambda: "worker w1 joined" in self.said(), head, "the worker")
        shown = self.run_node("certs", "show", certs, "-o", "json").json()
        mine = [x for x in shown if not x["authority"]][0]
        self.assertRegex(mine["subject"], r"CN=w1-[0-9a-f]{8}")
        self.assertEqual((mine["key"], mine["signed_by_ca"]), ("fits", True))
        self.assertEqual((certs / "node.key").stat().st_mode & 0o777, 0o600)
        self.assertFalse((certs / "ca.key").exists())
        # The same command again finds its certificate there, and needs the token no more.
        worker.terminate()
        self.finish(worker)
        _, again = self.joining(where, enroll, "w1", "tn1.used")
        self.wait_until(lambda: self.said().count("worker w1 joined") == 2, head, "it again")
        # The name that it joined by is what its certificate is revoked by, too.
        told = self.run_node("certs", "revoke", "w1", "--certs", self.certs).out
        self.assertIn("certificates that tokens gave under that name", told)
        self.finish(again, 8)
        head.terminate()
        self.finish(head)

    def test_count_as_often_as_they_say_also_in_a_race(self):
        _, where, enroll = self.enrolling_head()
        token = self.token("--uses", "3")
        workers = [self.joining(where, enroll, "r%d" % i, token) for i in range(8)]

        # At most two of one address are served at a time; the others try again.
        def made():
            return sum((certs / "node.pem").exists() for certs, _ in workers)

        def settled():
            return made() == 3 and sum(w.poll() is not None for _, w in workers) == 5

        self.wait_until(settled, what="three certificates and five refusals")
        for certs, worker in workers:
            if not (certs / "node.pem").exists():
                self.finish(worker, 8)
        refusals = [self.worker_said("r%d" % i) for i in range(8)]
        self.assertEqual(sum("used up" in x for x in refusals), 5, refusals)
        self.assertEqual(self.said().count("made a certificate for"), 3)

    def test_that_are_wrong_bring_nothing(self):
        _, where, enroll = self.enrolling_head()
        good = self.token()
        head, ident, secret, ca = good.split(".")
        other = secret[:-1] + ("0" if secret[-1] != "0" else "1")

        self.refused(where, enroll, "g1", ".".join((head, ident, other, ca)), "not known")
        self.refused(where, enroll, "g2", ".".join((head, "0" * 16, secret, ca)), "not known")
        self.refused(where, enroll, "g3", good[:-1], "no join token", 3)
        self.refused(where, enroll, "g4", good.upper(), "such file", 3)
        # None of this used it.
        certs, worker = self.joining(where, enroll, "fine", good)
        self.wait_until(lambda: (certs / "node.pem").exists(), worker, "a certificate")
        self.refused(where, enroll, "replay", good, "used up")

    def test_that_are_expired_bring_nothing(self):
        _, where, enroll = self.enrolling_head()
        token = self.token("--expires", "1s")
        book = next(x for x in (self.certs / "tokens").iterdir() if len(x.name) == 16)
        record = json.loads(book.read_text())
        record["until"] -= 3600
        book.write_text(json.dumps(record))

        self.refused(where, enroll, "late", token, "expired on")
        self.token()
        self.assertFalse(book.exists(), "making one removes those that are over")

    def test_are_not_shown_to_a_head_of_another_ca(self):
        """Whoever stands in the head's place gets to see nothing."""
        foreign = self.directory / "foreign"
        self.run_node("certs", "init", "--certs", foreign)
        heard = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(foreign / "node.pem", foreign / "node.key")
        port = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(port.close)

        def serve():
            try:
                while True:
                    link, _ = port.accept()
                    try:
                        with context.wrap_socket(link, server_side=True) as safe:
                            heard.append(safe.recv(1 << 16))
                    except OSError:
                        heard.append(b"")
            except OSError:
                return

        threading.Thread(target=serve, daemon=True).start()
        where = "127.0.0.1:%d" % port.getsockname()[1]
        certs = self.directory / "own"
        worker = self.worker(
            "127.0.0.1:1", "w", "--token", self.token(), "--enroll", where, "--join-timeout", "1s",
            certs=certs,
        )
        self.finish(worker, 6)
        self.assertTrue(heard)
        self.assertEqual(set(heard), {b""})
        self.assertIn("no head with the CA of this token", self.worker_said("w"))

    def test_that_are_guessed_again_and_again_are_not_even_heard(self):
        _, where, enroll = self.enrolling_head()
        good = self.token()
        head, ident, secret, ca = good.split(".")
        for i in range(5):
            guess = ".".join((head, ident, "%032x" % i, ca))
            self.refused(where, enroll, "g%d" % i, guess, "not known")
        _, worker = self.joining(where, enroll, "next", good)
        self.wait_until(
            lambda: "trying again" in self.worker_said("next"), worker, "being turned away"
        )
        self.assertNotIn("made a certificate", self.said())

    def two_ports(self):
        """A free port whose next one is free as well."""
        while True:
            with socket.socket() as one, socket.socket() as next_one:
                one.bind(("127.0.0.1", 0))
                port = one.getsockname()[1]
                try:
                    next_one.bind(("127.0.0.1", port + 1))
                except (OSError, OverflowError):
                    continue
                return port

    def test_are_taken_to_the_next_address_where_the_first_is_silent(self):
        # As a stopped process does: it is connected to, and never answers.
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        port = self.two_ports()
        head, where = self.head("--enroll", "127.0.0.1:%d" % (port + 1), "--no-local",
                                listen="127.0.0.1:%d" % port)
        both = "127.0.0.1:%d,%s" % (silent.getsockname()[1] - 1, where)

        certs = self.directory / "own-w"
        self.worker(both, "w", "--token", self.token(), certs=certs)

        self.wait_until(lambda: "worker w joined" in self.said(), head, "the worker")

    def test_port_bears_nonsense_silence_and_crowds(self):
        head, where, enroll = self.enrolling_head()
        host, port = enroll.rsplit(":", 1)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.load_verify_locations(self.certs / "ca.pem")
        for text in (b"\n", b"{}\n", b"[" * 5000 + b"\n", b"x" * 40000, b"{\"enrol\":1}\n",
                     b"\xff\xfe\n", b"{\"enrol\":1,\"token\":7}\n"):
            with socket.create_connection((host, int(port))) as raw:
                with context.wrap_socket(raw) as link:
                    with self.subTest(text[:20]):
                        try:
                            link.sendall(text)
                            answer = link.recv(4096)
                        except OSError:
                            answer = b""
                        self.assertNotIn(b'"ok":true', answer)
        for _ in range(20):
            with socket.create_connection((host, int(port))) as raw:
                raw.sendall(b"GET / HTTP/1.1\r\n\r\n")
        # Two silent ones of this address are all that is let in, and keep nobody else away for
        # longer than their time.
        silent = [socket.create_connection((host, int(port))) for _ in range(30)]
        self.addCleanup(lambda: [x.close() for x in silent])
        certs, worker = self.joining(where, enroll, "patient", self.token())
        self.wait_until(lambda: (certs / "node.pem").exists(), worker, "a certificate")
        self.assertIsNone(head.poll())

    def test_have_names_and_files_of_their_own(self):
        _, where, enroll = self.enrolling_head()
        file = self.directory / "token"
        file.write_text(self.token("--name", "gpu-7") + "\n")
        self.refused(where, enroll, "open", file, "chmod 600", 3)
        file.chmod(0o600)
        certs, worker = self.joining(where, enroll, "w", file)
        self.wait_until(lambda: (certs / "node.pem").exists(), worker, "a certificate")
        shown = self.run_node("certs", "show", certs, "-o", "json").json()
        self.assertTrue([x for x in shown if "CN=gpu-7" in x["subject"]])

    def test_secret_is_kept_by_nobody(self):
        head, where, enroll = self.enrolling_head("--log-file", str(self.directory / "log"))
        token = self.token("--uses", "2", "-o", "json")
        made = json.loads(token)
        self.assertRegex(made["expires"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        token = made["token"]
        secret = token.split(".")[2]
        certs, worker = self.joining(where, enroll, "w", token)
        self.wait_until(lambda: (certs / "node.pem").exists(), worker, "a certificate")
        for x in (worker, head):
            x.terminate()
            self.finish(x, None)
        for path in self.directory.rglob("*"):
            if path.is_file():
                self.assertNotIn(secret.encode(), path.read_bytes(), path)

    def test_need_the_ca_where_they_are_made_and_served(self):
        plain = self.issued("plain")
        self.run_node("certs", "token", "--certs", plain, code=8)
        for words in (["--uses", "0"], ["--uses", "10001"], ["--expires", "31d"],
                      ["--expires", "0"], ["--name", "a b"], ["extra"]):
            self.run_node("certs", "token", "--certs", self.certs, *words, code=2)
        refused = self.run_node(
            *("head", "--listen", "127.0.0.1:0", "--certs", plain, "--enroll", "127.0.0.1:0"),
            *("--storage", self.storage, "--work", self.directory / "work"), code=8,
        )
        self.assertIn("--enroll: ", refused.err)
        self.run_node("worker", "--join", "h:1", "--enroll", "h:2", code=2)


if __name__ == "__main__":
    main()
