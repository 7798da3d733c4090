# SPDX-License-Identifier: BSD-3-Clause
"""The gateway beside a run: what it tells, what it passes on, what it gives out, what it keeps."""
import json
import os
import re
import socket
import ssl
import sys
import urllib.request
from pathlib import Path

from controlled import ControlCase
from e2e import main
from http_client import Events, Served


class Live(ControlCase, Served):
    """A run that serves its own page."""

    def serve_run(self, ini, *words, **how):
        self.child = self.begin(ini, "--http", "127.0.0.1:0", *words, env=self.served_environment(), **how)
        # The link is the last line that was told before the run began.
        text = ""
        while "#token=" not in text:
            line = self.child.stderr.readline()
            self.assertTrue(line, text)
            text += line
        self.take_link(text)
        return self.child

    def test_orders_reach_the_run_and_are_recorded(self):
        self.serve_run(self.stepping(samples=3, slots=2, steps=3), running=2)
        self.assertEqual(self.ask("GET", "/api/v1/experiments/x").json()["planned"], 3)
        told = self.ask("POST", "/api/v1/experiments/x/trials", {"config": {"lr": 0.25}},
                        Idempotency_Key="mine")
        self.assertEqual(told.status, 200, told)
        self.assertEqual(self.ask("GET", "/api/v1/experiments/x").json()["planned"], 4)
        added = told.json()["told"][0]
        self.assertEqual(added["outcome"], "taken")
        again = self.ask("POST", "/api/v1/experiments/x/trials", {"config": {"lr": 0.25}},
                         Idempotency_Key="mine")
        self.assertEqual(again.json(), told.json())
        self.assertEqual(again.headers["idempotency-replayed"], "true")
        rows = self.rows("SELECT trial_id FROM trials WHERE origin = 'client'")
        self.assertEqual([x["trial_id"] for x in rows], [added["trial"]])

        for path, body, status in (
            ("/trials/0/stop", {}, 200), ("/trials/00001/pause", {}, 200),
            ("/trials/99/stop", {}, 404), ("/trials/x/stop", {}, 404),
            ("/trials", {"config": {"lr": 7}}, 422), ("/trials", {"config": 1}, 422),
            ("/trials", {"nothing": 1}, 422), ("/pause", {}, 200), ("/unpause", {}, 200),
        ):
            with self.subTest(path=path, body=body):
                told = self.ask("POST", "/api/v1/experiments/x" + path, body)
                self.assertEqual(told.status, status, told)
        stopped = self.ask("POST", "/api/v1/experiments/x/stop", {})
        self.assertEqual(stopped.status, 200, stopped)
        for trial in range(5):
            self.let(trial, 100)
        self.finish(self.child, None)

    @staticmethod
    def place(event):
        """In the log of its record."""
        place, record = event["id"].split("@")
        assert int(record) == json.loads(event["data"])["created_ms"], event
        return int(place)

    def test_events_come_with_each_commit_and_go_on(self):
        self.serve_run(self.stepping(samples=2, slots=2, steps=3), running=2)
        events = Events(self, "/api/v1/experiments/x/events")
        first = events.next()
        self.assertEqual(first["event"], "change")
        self.assertEqual(self.place(first), json.loads(first["data"])["last_seq"])
        self.let(0, 1)
        second = events.next()
        self.assertGreater(self.place(second), self.place(first))
        events.close()
        resumed = Events(self, "/api/v1/experiments/x/events", Last_Event_ID=first["id"])
        self.assertGreater(self.place(resumed.next()), self.place(first))
        resumed.close()
        for trial in range(2):
            self.let(trial, 100)
        self.finish(self.child, 0)

    def test_logs_are_followed_until_the_trial_ends(self):
        self.serve_run(self.stepping(samples=2, slots=2, steps=2), running=2)
        log = Events(self, "/api/v1/experiments/x/trials/0/logs?stream=stdout&offset=0")
        self.let(0, 100)
        text, last = "", None
        while (event := log.next()) and event["event"] == "log":
            part = json.loads(event["data"])
            self.assertEqual(part["offset"], last if last is not None else part["offset"])
            last = part["next_offset"]
            text += part["text"]
        self.assertEqual(event["event"], "end")
        self.let(1, 100)
        self.finish(self.child, 0)
        self.assertEqual(text, self.trial_file(0, "stdout").read_text())


class Finished(Served):
    """An experiment that nobody runs."""

    def run_once(self, program="tune report 3", *words, more=""):
        self.run_node("run", self.experiment(program, more=more), "--quiet", *words)

    def test_events_tell_of_a_record_that_took_the_place_of_another(self):
        self.run_node("run", self.experiment("tune report 3", samples=3), "--quiet")
        self.start_serving()
        path = "/api/v1/experiments/x/events"
        events = Events(self, path)
        first = events.next()
        old = json.loads(first["data"])
        self.run_once("tune report 3", "--overwrite", "--yes")
        while (new := json.loads(events.next()["data"]))["created_ms"] == old["created_ms"]:
            pass
        events.close()
        # So it is told to whoever comes back from the old one, although that had gone further.
        for since in (first["id"], str(old["last_seq"])):
            resumed = Events(self, path, Last_Event_ID=since)
            told = json.loads(resumed.next()["data"])
            self.assertEqual(told["created_ms"], new["created_ms"])
            self.assertLess(told["last_seq"], old["last_seq"])
            resumed.close()

    def test_what_cannot_be_read_is_not_ready(self):
        self.run_once()
        self.start_serving(where="results/x")
        self.assertEqual(self.get("/readyz").status, 200)
        record = self.directory / "results/x/experiment.db"
        whole = record.read_bytes()
        record.write_bytes(b"no database " * 4096)
        self.assertEqual(self.get("/readyz").status, 503)
        told = self.get("/api/v1/experiments/x")
        self.assertEqual(told.status, 500, told)
        described = self.get("/api/v1/openapi.json").json()["paths"]
        self.assertIn("500", described["/api/v1/experiments/{experiment}"]["get"]["responses"])
        record.write_bytes(whole)

    def test_orders_say_what_goes_on_with_it(self):
        self.run_once()
        self.start_serving()
        told = self.ask("POST", "/api/v1/experiments/x/stop", {})
        self.assertEqual(told.status, 409, told)
        self.assertEqual(told.json()["code"], "not_live")
        self.assertIn("tune-node resume", told.json()["detail"])

    def test_no_path_leads_out_of_an_experiment(self):
        self.run_once()
        secret = self.directory / "secret"
        secret.write_text("secret")
        trial = self.directory / "results/x/trials/00000"
        (trial / "model.bin").write_bytes(b"0123456789")
        (trial / "link").symlink_to(secret)
        (trial / "up").symlink_to(self.directory, target_is_directory=True)
        os.mkfifo(trial / "pipe")
        os.link(self.directory / "results/x/experiment.db", trial / "innocent")
        (self.directory / "results/linked").symlink_to("/etc", target_is_directory=True)
        self.start_serving()
        artifacts = "/api/v1/experiments/x/trials/0/artifacts/"

        told = self.get(artifacts + "model.bin")
        self.assertEqual((told.status, told.body), (200, b"0123456789"))
        self.assertTrue(told.headers["content-disposition"].startswith("attachment"))
        self.assertEqual(told.headers["content-type"], "application/octet-stream")
        told = self.get(artifacts + "model.bin", Range="bytes=2-4")
        self.assertEqual((told.status, told.body), (206, b"234"))
        self.assertEqual(self.get(artifacts + "model.bin", Range="bytes=20-").status, 416)

        for path in (
            "link", "up/secret", "pipe", "innocent", "none", "..%2f..%2f..%2fsecret",
            "%2e%2e/%2e%2e/experiment.db", "../../experiment.db", "%2fetc%2fpasswd", "//etc/passwd",
            "..\\..\\experiment.db", "..%5cexperiment.db", "model.bin%00", "%c0%ae%c0%ae/x", "up",
        ):
            with self.subTest(path):
                told = self.get(artifacts + path)
                self.assertIn(told.status, (400, 404), told)
                self.assertNotIn(b"secret", told.body)
        for name in ("..", "%2e%2e", "linked", "x%2f..", ".", "x%00", "%2fetc", "x/../x"):
            with self.subTest(name):
                told = self.get("/api/v1/experiments/%s/trials/0/logs" % name)
                self.assertIn(told.status, (400, 404), told)
        # The record's own file was not touched by another name.
        self.run_node("fsck", "results/x")

    def test_logs_tell_nothing_that_a_terminal_would_obey(self):
        self.run_once("tune report 1")
        file = self.trial_file(0, "stdout")
        file.write_bytes(b"a\x1b[2J\x07b\n\xff\xe2\x80\xae\n")
        self.start_serving()
        told = self.get("/api/v1/experiments/x/trials/0/logs?stream=stdout&offset=0")
        self.assertEqual(told.json()["text"], "a\\x1b[2J\\x07b\n\ufffd\\u202e\n")
        self.assertNotIn(b"\x1b", told.body)

    def test_the_description_is_what_is_served(self):
        self.run_once()
        self.start_serving()
        text = self.get("/api/v1/openapi.json").json()
        self.assertEqual(text["openapi"][:2], "3.")
        for path, methods in text["paths"].items():
            for method, operation in methods.items():
                with self.subTest(method=method, path=path):
                    real = re.sub(r"\{trial\}|\{checkpoint\}", "0", path)
                    real = real.replace("{experiment}", "x").replace("{path}", "none")
                    body = "{}" if method != "get" else None
                    stream = operation["operationId"] == "events"
                    if stream:
                        continue
                    told = self.ask(method.upper(), real, body)
                    self.assertIn(str(told.status), operation["responses"], told)
                    self.assertNotIn(told.status, (405, 500, 501), told)
                    if "security" in operation:
                        told = self.ask(method.upper(), real, body, token=False)
                        self.assertEqual(told.status, 401, told)

    def test_the_token_is_written_nowhere_else(self):
        self.run_once()
        self.start_serving()
        self.get("/api/v1/experiments/x/trials/0/logs")
        self.get("/api/v1/experiments/x/trials/%s/logs" % self.token)
        told = self.get("/metrics").body.decode()
        self.assertIn("tune_http_requests_total{", told)
        self.assertNotIn(self.token, told)
        self.assertNotIn(self.token, Path("/proc/%d/cmdline" % self.server.pid).read_text())
        self.server.terminate()
        ended = self.finish(self.server, 0)
        self.assertNotIn(self.token, ended.err)
        for file in self.directory.rglob("*"):
            if file.is_file() and file != self.state() / "tune-node/http-token":
                self.assertNotIn(self.token.encode(), file.read_bytes(), file)


class Encrypted(Served):
    """TLS by the certificates of a cluster."""

    def test_others_are_served_by_tls(self):
        certs = self.directory / "certs"
        self.run_node("certs", "init", "--cluster", "test", "--host", "head.test,127.0.0.1",
                      "--certs", certs)
        self.start_serving("--certs", certs, http="0.0.0.0:0")
        # By a name that its certificate has.
        self.assertIn(self.address.rpartition(":")[0], ("head.test", socket.gethostname()))
        trust = ssl.create_default_context(cafile=certs / "ca.pem")
        trust.check_hostname = False
        asked = urllib.request.Request(
            "https://127.0.0.1:%d/api/v1/openapi.json" % self.port,
            headers={"Authorization": "Bearer " + self.token},
        )
        with urllib.request.urlopen(asked, context=trust, timeout=60) as told:
            self.assertEqual(told.status, 200)
            self.assertEqual(json.load(told)["info"]["title"], "tune-node")
        asked = urllib.request.Request(
            "https://127.0.0.1:%d/api/v1/session" % self.port,
            json.dumps({"token": self.token}).encode(), {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(asked, context=trust, timeout=60) as told:
            self.assertIn("; Secure", told.headers["Set-Cookie"])
        # Plain text gets nothing.
        self.assertNotIn(b"200", self.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))


class Shared(Served):
    def test_the_best_of_configurations_of_several_runs_is_the_best_on_the_whole(self):
        gate = self.directory / "gate"
        ini = self.ini(
            "[experiment]\nmetric = score\n[trainable]\ncommand = sh -c "
            "'until [ -e %s ] || [ {x} != 3 ]; do sleep 0.05; done; %s %s {x} {seed}'\n"
            "report = final\nmetric.score = score = {number}\n[space]\nx = grid(1, 2, 3)\n"
            "[search]\nrepeat = 3\n[cluster]\ncpus = 1\n"
            % (gate, sys.executable, Path(__file__).with_name("noisy_trial.py")))
        self.start_serving()
        child = self.start("run", ini, "--quiet")
        best = lambda: self.api("/x")["best"]
        over = "SELECT * FROM trials WHERE ended IS NOT NULL"
        self.wait_until(lambda: len(self.rows_if_any(over)) == 6, child, "six ends")
        early = best()
        gate.touch()
        self.finish(child)
        late = best()

        # x = 1 has the best single run, and a mean of 0.43.
        for told in (early, late):
            self.assertEqual(told["value"], 0.7)
            self.assertAlmostEqual(told["runs"]["mean"], 0.65)
            self.assertEqual((told["runs"]["count"], told["runs"]["full"]), (3, True))
        told = self.run_node("status", "results/x", "-o", "json").json()["best"]
        self.assertEqual(late["trial_id"], told["trial"])

    def test_clients_that_say_how_new_get_what_another_got(self):
        self.run_node("run", self.experiment("tune report 3", samples=2), "--quiet")
        self.start_serving()
        last = self.api("/x")["last_seq"]
        page = lambda place: self.get("/api/v1/experiments/x/trials", Tune_At_Least=place)

        one, other = page(str(last)), page("1")

        self.assertEqual(one.json(), other.json())
        for odd in ("", "x", "-1", "99999999999999999999"):
            self.assertEqual(page(odd).json(), one.json())
        self.run_node("resume", "results/x", "--experiment.num_samples", "3", "--quiet")
        self.assertEqual(page("1").json()["total"], 2)
        self.assertEqual(page(str(last + 1)).json()["total"], 3)
        self.assertEqual(page("1").json()["total"], 3)
        self.assertEqual(self.api("/x/trials")["total"], 3)

if __name__ == "__main__":
    main()
