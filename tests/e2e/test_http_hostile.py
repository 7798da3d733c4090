# SPDX-License-Identifier: BSD-3-Clause
"""The gateway and those who mean ill: hostile bytes, slow clients, pages of others, files of
others, secrets and tokens."""
import contextlib
import os
import socket
import stat
import time
from pathlib import Path

from e2e import main
from http_client import Served

MEGABYTE = 1 << 20


class Bytes(Served):
    """What comes by the port never costs more than a little memory, or a healthy client its
    answer."""

    def setUp(self):
        super().setUp()
        self.start_serving()
        self.get("/healthz")
        self.before = self.memory()

    def tearDown(self):
        begin = time.monotonic()
        self.assertEqual(self.get("/healthz").status, 200)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertLess(self.memory() - self.before, 10 * MEGABYTE)
        self.assertIsNone(self.server.poll())

    def pour(self, begin, piece, most):
        """Sends without end. Returns the bytes that were taken."""
        sent = 0
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as one:
            with contextlib.suppress(OSError):
                one.sendall(begin)
                while sent < most:
                    one.sendall(piece)
                    sent += len(piece)
        return sent

    def test_an_endless_header_line_ends(self):
        sent = self.pour(b"GET / HTTP/1.1\r\nX: ", b"a" * 65536, 200 * MEGABYTE)
        self.assertLess(sent, 64 * MEGABYTE)

    def test_headers_without_number_end(self):
        sent = self.pour(b"GET / HTTP/1.1\r\n", b"A: b\r\n" * 1000, 200 * MEGABYTE)
        self.assertLess(sent, 64 * MEGABYTE)

    def test_a_body_without_end_ends(self):
        head = (
            "POST /api/v1/experiments/x/trials HTTP/1.1\r\nHost: localhost\r\n%s"
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        chunk = b"1000\r\n" + b"a" * 0x1000 + b"\r\n"
        for token in ("", "Authorization: Bearer %s\r\n" % self.token):
            sent = self.pour((head % token).encode(), chunk, 300 * MEGABYTE)
            self.assertLess(sent, 64 * MEGABYTE)

    def test_a_thousand_slow_clients_slow_nobody(self):
        files_before = len(os.listdir("/proc/%d/fd" % self.server.pid))
        with contextlib.ExitStack() as held:
            for number in range(1000):
                one = held.enter_context(socket.create_connection(("127.0.0.1", self.port)))
                if number % 2:
                    with contextlib.suppress(OSError):
                        one.sendall(b"GET / HTTP/1.1\r\nHost: local")
            begin = time.monotonic()
            self.assertEqual(self.get("/healthz").status, 200)
            self.assertLess(time.monotonic() - begin, 10)
            files = len(os.listdir("/proc/%d/fd" % self.server.pid))
            self.assertLess(files - files_before, 300)
            self.assertLess(self.memory() - self.before, 10 * MEGABYTE)


class Pages(Served):
    """A browser on this machine runs pages of strangers: DNS that is bound anew, forms, scripts."""

    def setUp(self):
        super().setUp()
        self.start_serving()

    def test_a_page_of_another_site_reaches_nothing(self):
        api = "/api/v1/experiments"
        here = "http://127.0.0.1:%d" % self.port
        cookie = self.session()
        for method, path in (
            ("GET", api), ("POST", api + "/x/stop"), ("POST", api + "/x/trials"),
            ("DELETE", "/api/v1/session"), ("PUT", api), ("PATCH", api), ("OPTIONS", api),
        ):
            for more in (
                {"Host": "evil.example"}, {"Host": "evil.example:%d" % self.port},
                {"Host": "127.0.0.1.evil.example"}, {"Origin": "http://evil.example"},
                {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
                {"Sec-Fetch-Site": "same-site"}, {"Origin": here + "0"},
            ):
                with self.subTest(method=method, path=path, **more):
                    told = self.ask(method, path, "{}" if method == "POST" else None, **more)
                    self.assertEqual(told.status, 403, told)
                    told = self.ask(
                        method, path, "{}" if method == "POST" else None, token=False,
                        Cookie=cookie, **more
                    )
                    self.assertEqual(told.status, 403, told)
                    self.assertNotIn("access-control-allow-origin", told.headers)

    def session(self):
        told = self.ask("POST", "/api/v1/session", {"token": self.token}, token=False)
        self.assertEqual(told.status, 204, told)
        text = told.headers["set-cookie"]
        self.assertIn("HttpOnly", text)
        self.assertIn("SameSite=Strict", text)
        # A browser would not send it back over plain HTTP.
        self.assertNotIn("Secure", text)
        self.assertNotIn(self.token, text)
        return text.split(";")[0]

    def test_a_cookie_reads_and_changes_nothing_alone(self):
        cookie = self.session()
        self.assertEqual(self.get("/api/v1/openapi.json", token=False, Cookie=cookie).status, 200)
        stop = "/api/v1/experiments/x/stop"
        told = self.ask("POST", stop, "{}", token=False, Cookie=cookie)
        self.assertEqual(told.status, 403, told)
        told = self.ask("POST", stop, "{}", token=False, Cookie=cookie, X_Tune_Node="1")
        self.assertEqual(told.status, 404, told)

    def test_a_form_changes_nothing(self):
        for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data"):
            told = self.ask("POST", "/api/v1/experiments/x/stop", "a=b", Content_Type=kind)
            self.assertEqual(told.status, 415, told)

    def test_every_answer_forbids_what_a_page_does_not_need(self):
        for path in ("/", "/healthz", "/api/v1/openapi.json", "/none", "/api/v1/none"):
            told = self.get(path)
            self.assertIn("default-src 'none'", told.headers["content-security-policy"], path)
            self.assertNotIn("unsafe", told.headers["content-security-policy"])
            self.assertEqual(told.headers["x-content-type-options"], "nosniff")
            self.assertEqual(told.headers["x-frame-options"], "DENY")


def listening_addresses(pid):
    """Addresses, as the kernel writes them, at which a process listens for TCP."""
    inodes = set()
    for entry in Path("/proc/%d/fd" % pid).iterdir():
        with contextlib.suppress(OSError):
            target = os.readlink(entry)
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    found = []
    for name in ("tcp", "tcp6"):
        for line in Path("/proc/%d/net/%s" % (pid, name)).read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in inodes:
                found.append(words[1].partition(":")[0])
    return found


class Doors(Served):
    """Where the gateway listens, and who gets in."""

    def test_only_this_machine_reaches_it_unless_asked(self):
        self.server = self.start("serve", ".", env=self.served_environment())
        self.take_link(self.server.stdout.readline())
        self.assertEqual(listening_addresses(self.server.pid), ["0100007F"])
        self.assertEqual(self.get("/healthz").status, 200)

    def test_others_reach_it_by_tls_alone(self):
        for where in ("0.0.0.0:0", "[::]:0"):
            told = self.run_node("serve", ".", "--http", where, "--certs", "none", code=8)
            self.assertIn("certs", told.err)
            self.assertIn("TLS", told.err)
            self.assertEqual(told.out, "")

    def test_the_token_is_for_its_owner_alone(self):
        self.start_serving()
        file = self.state() / "tune-node/http-token"
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(file.parent.stat().st_mode), 0o700)
        self.assertEqual(file.read_text().strip(), self.token)
        file.chmod(0o644)
        told = self.run_node("serve", ".", env=self.served_environment(), code=8)
        self.assertIn("chmod 600", told.err)

    def test_a_wrong_token_opens_nothing(self):
        self.start_serving()
        for token in ("", self.token[:-1], self.token + "0", self.token.upper(), "0" * 64):
            if token == self.token:
                continue
            told = self.get("/api/v1/openapi.json", token=False, Authorization="Bearer " + token)
            self.assertEqual(told.status, 401, told)
        statuses = {self.get("/metrics", token="0" * 64).status for _ in range(60)}
        self.assertIn(429, statuses)
        self.assertEqual(self.get("/metrics").status, 200)

    def test_a_new_token_counts_at_once(self):
        self.start_serving()
        before = self.token
        other = self.start("serve", ".", "--http", "127.0.0.1:0", "--new-token",
                           env=self.served_environment())
        line = other.stdout.readline()
        new = line.strip().rpartition("=")[2]
        self.assertNotEqual(new, before)
        self.assertEqual(self.get("/metrics", token=new).status, 200)
        self.assertEqual(self.get("/metrics", token=before).status, 401)

    def test_it_ends_in_order(self):
        self.start_serving()
        self.server.terminate()
        self.finish(self.server, 0)


if __name__ == "__main__":
    main()
