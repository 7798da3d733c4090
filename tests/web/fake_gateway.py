#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Serves the dashboard with made-up experiments, as the gateway would.

    fake_gateway.py SITE      prints one line: the address, with the token

SITE is what web/embed.cmake lays out, <build>/web/site. Its headers are the gateway's; what it
answers is in fake_experiments.py. For tests, and to work on the page.
"""

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from fake_experiments import HOSTILE, Fake

TOKEN = "fake-token"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
MIME = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


class Refused(Exception):
    def __init__(self, status, code, detail):
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail


def experiments():
    listed = [
        Fake("live", 2000, live=True, hostile=True),
        Fake("huge", 100000),
        Fake("population", 16, live=True, kind="pbt"),
        Fake("two-goals", 400, objectives=2),
        Fake("empty", 0),
        Fake('<b onmouseover="hacked=1">', 30, hostile=True),
    ]
    return {x.name: x for x in listed}


class Gateway(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, site):
        super().__init__(("127.0.0.1", 0), Answer)
        self.site = Path(site)
        self.all = experiments()
        self.asked = []
        self.ended = threading.Event()

    def handle_error(self, *_):
        """A browser hangs up as it likes."""

    @property
    def address(self):
        return "http://127.0.0.1:%d/" % self.server_port


# Why a configuration was proposed.
SUGGESTION = {
    "by": "a Gaussian process",
    "results": 40,
    "predicted": {
        "metric": "loss",
        "mean": 0.4,
        "deviation": 0.1,
        "best": 0.3,
        "expected_improvement": 0.02,
    },
    "nearest": {
        "trial": "00003",
        "distance": 0.1,
        "correlation": 0.9,
        "value": 0.45,
        "estimated": False,
    },
    "parents": ["00001", "00002"],
    "details": {"length_scale": 0.3, HOSTILE: HOSTILE},
    "same": True,
}


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Gateway

    def log_message(self, *_):
        pass

    def reply(self, status, body, mime="application/json", extra=()):
        self.send_response(status)
        self.send_header("Content-Type", mime)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", CSP)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        for key, value in extra:
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def json(self, value, status=200, extra=()):
        self.reply(status, json.dumps(value).encode(), extra=extra)

    def problem(self, status, code, detail):
        body = {
            "type": "about:blank",
            "title": "refused",
            "status": status,
            "code": code,
            "detail": detail,
        }
        self.reply(status, json.dumps(body).encode(), "application/problem+json")

    def is_let_in(self):
        return (
            "session=1" in self.headers.get("Cookie", "")
            or self.headers.get("Authorization") == "Bearer " + TOKEN
        )

    def parts(self):
        url = urlsplit(self.path)
        return [unquote(x) for x in url.path.split("/")[1:]], dict(parse_qsl(url.query))

    def do_GET(self):
        self.server.asked.append(self.path)
        parts, query = self.parts()
        try:
            if parts == ["version"]:
                return self.json({"version": "0.1.0", "api": "v1"})
            if parts[:2] != ["api", "v1"]:
                return self.asset("/".join(parts) or "index.html")
            if not self.is_let_in():
                raise Refused(401, "no_token", "a token is needed")
            return self.get(parts[2:], query)
        except Refused as x:
            return self.problem(x.status, x.code, x.detail)
        except (BrokenPipeError, ConnectionResetError):
            return None

    def asset(self, name):
        path = (self.server.site / name).resolve()
        if self.server.site.resolve() not in path.parents or not path.is_file():
            raise Refused(404, "not_found", "there is no " + name)
        return self.reply(200, path.read_bytes(), MIME[path.suffix])

    def get(self, parts, query):
        if parts == ["experiments"]:
            return self.json(
                {"experiments": [x.short() for x in self.server.all.values()], "next_cursor": None}
            )
        x = self.server.all.get(parts[1]) if len(parts) > 1 and parts[0] == "experiments" else None
        if x is None:
            raise Refused(404, "not_found", "there is no experiment of this name")
        rest = parts[2:]
        if rest[:1] == ["trials"] and len(rest) > 1:
            return self.of_trial(x, rest[1:], query)
        if rest == ["events"]:
            return self.events(x)
        made = self.of_experiment(x, rest, query)
        if made is None:
            raise Refused(404, "not_found", "no such thing")
        return self.json(made)

    def of_experiment(self, x, rest, query):
        if not rest:
            return x.about()
        metric = query.get("metric", "loss")
        return {
            "trials": lambda: self.trials(x, query),
            "curves": lambda: x.curves(int(query.get("trials", 100)), query.get("x")),
            "history": lambda: x.history(int(query.get("points", 1000))),
            "rungs": x.rungs,
            "parallel": lambda: x.parallel(int(query.get("limit", 2000)), metric),
            "importance": lambda: x.importance(metric),
            "pareto": x.pareto,
            "timeline": lambda: x.timeline(int(query.get("limit", 5000))),
            "lineage": x.lineage,
            "decisions": lambda: x.decisions(int(query.get("since_seq", 0)), query.get("trial")),
            "nodes": x.nodes,
            "checkpoints": x.checkpoints,
        }.get(rest[0], lambda: None)()

    def trials(self, x, query):
        found = x.select(query)
        if found is None:
            raise Refused(400, "bad_filter", "the filter ends where a value is due: " + HOSTILE)
        start, many = int(query.get("cursor") or 0), int(query.get("limit", 100))
        page = found[start : start + many]
        end = start + many
        rows = (
            [{"trial": t} for t in page]
            if query.get("fields") == "trial"
            else [x.row(t) for t in page]
        )
        return {
            "trials": rows,
            "next_cursor": str(end) if end < len(found) else None,
            "total": len(found),
        }

    def of_trial(self, x, rest, query):
        if not re.fullmatch(r"\d+", rest[0]) or int(rest[0]) >= x.total:
            raise Refused(404, "not_found", "there is no trial %s" % rest[0])
        t = int(rest[0])
        if rest[1:] == ["results"]:
            return self.json(x.results(t))
        if rest[1:] == ["suggestion"]:
            return self.json({"trial": t, "trial_id": "%05d" % t, "suggestion": SUGGESTION})
        if rest[1:] == ["logs"]:
            return self.logs(t, query)
        return self.json(x.trial(t))

    def logs(self, t, query):
        text = "epoch 1\nloss 0.5 %s\n" % HOSTILE
        part = {
            "text": text,
            "offset": 0,
            "next_offset": len(text),
            "bytes": len(text),
            "eof": True,
        }
        if "text/event-stream" not in self.headers.get("Accept", ""):
            return self.json(part)
        self.stream()
        self.wfile.write(
            (
                "event: log\ndata: %s\n\nevent: end\ndata: {}\n\n"
                % json.dumps({**part, "text": "followed\n"})
            ).encode()
        )
        self.server.ended.wait(60)

    def stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Security-Policy", CSP)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def events(self, x):
        self.stream()
        self.wfile.write(b": hello\n\n")
        told = x.seq
        while not self.server.ended.is_set():
            with x.changed:
                x.changed.wait_for(lambda: x.seq != told or self.server.ended.is_set(), 15)
                told = x.seq
            data = {
                "last_seq": told,
                "created_ms": x.created,
                "counts": x.counts(),
                "best": x.best(),
                "changed": [x.total - 1],
                "kinds": {},
                "live": x.live,
                "status": "running" if x.live else "done",
            }
            self.wfile.write(
                ("id: %d@%d\nevent: change\ndata: %s\n\n" % (told, x.created, json.dumps(data))).encode()
            )
            self.wfile.flush()

    def do_POST(self):
        self.server.asked.append(self.command + " " + self.path)
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        parts, _ = self.parts()
        try:
            if self.headers.get("X-Tune-Node") != "1":
                raise Refused(403, "header", "X-Tune-Node is missing")
            if parts == ["api", "v1", "session"]:
                return self.session(body)
            if not self.is_let_in():
                raise Refused(401, "no_token", "a token is needed")
            return self.act(self.server.all[parts[3]], parts[4:], body)
        except Refused as x:
            return self.problem(x.status, x.code, x.detail)

    do_DELETE = do_POST

    def session(self, body):
        if self.command == "POST" and body.get("token") != TOKEN:
            raise Refused(401, "wrong_token", "this is not the token")
        value = "1" if self.command == "POST" else "0"
        cookie = "session=%s; HttpOnly; SameSite=Strict; Path=/" % value
        return self.reply(204, b"", extra=[("Set-Cookie", cookie)])

    def act(self, x, parts, body):
        if not x.live:
            raise Refused(
                409, "not_live", "it does not run; `tune-node resume %s` goes on" % x.name
            )
        if parts == ["trials"]:
            x.step()
            return self.json(
                {
                    "told": [
                        {
                            "trial": x.total - 1,
                            "outcome": "added",
                            "text": "added with lr %s" % body["config"].get("lr"),
                        }
                    ]
                }
            )
        if parts in (["pause"], ["unpause"]):
            x.paused = parts == ["pause"]
            return self.json(
                {
                    "told": [
                        {
                            "trial": None,
                            "outcome": parts[0],
                            "text": "paused " + HOSTILE if x.paused else "goes on",
                        }
                    ]
                }
            )
        if parts[:1] == ["trials"] and len(parts) == 3:
            x.stop(int(parts[1]))
            return self.json(
                {"told": [{"trial": int(parts[1]), "outcome": "told", "text": "will stop"}]}
            )
        return self.json({"told": []})


def main():
    gateway = Gateway(sys.argv[1])
    print(gateway.address + "#token=" + TOKEN, flush=True)
    try:
        gateway.serve_forever()
    except KeyboardInterrupt:
        gateway.ended.set()


if __name__ == "__main__":
    main()
