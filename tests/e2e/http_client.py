# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of the gateway: a served directory, and clients that ask it."""
import http.client
import json
import os
import re
import socket
import time
import urllib.parse

from e2e import Case, clean_environment

PATIENCE = 60


class Answer:
    """A response: status, headers, body."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): text for name, text in response.getheaders()}
        self.body = response.read()

    def json(self):
        return json.loads(self.body)

    def __str__(self):
        return "%s %s\n%s" % (self.status, self.headers, self.body[:2000])


class Served(Case):
    """A test with `tune-node serve` at a free port."""

    def state(self):
        return self.directory / "state"

    def served_environment(self):
        return clean_environment(XDG_STATE_HOME=str(self.state()))

    def start_serving(self, *words, where="results", http="127.0.0.1:0"):
        (self.directory / "results").mkdir(exist_ok=True)
        self.server = self.start(
            "serve", where, "--http", http, *words, env=self.served_environment()
        )
        line = self.server.stdout.readline()
        self.take_link(line)
        return self.server

    def take_link(self, text):
        found = re.search(r"https?://([^/]+)/#token=([0-9a-f]{64})", text)
        self.assertTrue(found, text)
        self.address, self.token = found.groups()
        self.port = int(self.address.rpartition(":")[2])

    def ask(self, method, path, body=None, token=True, **headers):
        """Asks the server, with the token unless told otherwise."""
        given = {name.replace("_", "-"): text for name, text in headers.items()}
        if token:
            given.setdefault("Authorization", "Bearer " + (self.token if token is True else token))
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if body is not None:
            given.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, given)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **how):
        return self.ask("GET", path, **how)

    def api(self, path, status=200, **query):
        """JSON of a GET below /api/v1/experiments."""
        words = "?" + urllib.parse.urlencode(query) if query else ""
        told = self.get("/api/v1/experiments" + path + words)
        self.assertEqual(told.status, status, told)
        return told.json()

    def raw(self, data, wait=PATIENCE):
        """Sends bytes as they are; all that comes back until the server hangs up."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as one:
            try:
                one.sendall(data)
            except OSError:
                pass
            told = b""
            try:
                while piece := one.recv(65536):
                    told += piece
            except OSError:
                pass
            return told

    def memory(self, pid=None):
        """Resident memory of the server, in bytes."""
        pid = pid or self.server.pid
        with open("/proc/%d/statm" % pid) as text:
            return int(text.read().split()[1]) * os.sysconf("SC_PAGESIZE")


class Events:
    """The server-sent events of a path."""

    def __init__(self, case, path, **headers):
        self.connection = http.client.HTTPConnection("127.0.0.1", case.port, timeout=PATIENCE)
        given = {"Authorization": "Bearer " + case.token, "Accept": "text/event-stream"}
        given.update({name.replace("_", "-"): text for name, text in headers.items()})
        self.connection.request("GET", path, None, given)
        self.response = self.connection.getresponse()
        self.text = b""
        case.addCleanup(self.close)

    def next(self, wait=PATIENCE):
        """The next event as a dict of its fields; None if the stream is over."""
        end = time.monotonic() + wait
        while True:
            while b"\n\n" not in self.text:
                if time.monotonic() > end:
                    raise AssertionError("no event came in time")
                piece = self.response.read1(65536)
                if not piece:
                    return None
                self.text += piece
            frame, _, self.text = self.text.partition(b"\n\n")
            fields = {}
            for line in frame.decode().splitlines():
                name, _, text = line.partition(": ")
                if name:
                    fields[name] = fields[name] + "\n" + text if name in fields else text
            if fields:
                return fields

    def close(self):
        self.response.close()
        self.connection.close()
