#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the gateway over HTTP, with the real program, and prints one JSON object.

    bench/http_bench.py TUNE_NODE TUNE_GROW [TRIALS [SECONDS [ROUNDS]]]

`page`: pages of 100 trials out of TRIALS (100,000) of an experiment that goes on to report, 1,000
reports a second, until the whole answer has arrived. [ms]

`run`: what an experiment (of recorded curves, which cost next to nothing) comes to alone, with ten
dashboards that follow it, and with 1,000 clients that are idle or send a byte a second: reports a
second, processor time of the program for 1,000 reports, its memory. SECONDS (10) each, by turns,
ROUNDS (3) times; each figure is the middle one. The clients run on the same machine and take
processor time of their own: on few cores reports a second tell of both.
"""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLOCK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGESIZE")

RUN = """[experiment]
name = live
storage = %s
metric = validation_loss
mode = min
num_samples = 1000000
seed = 1
[search]
type = random
[trainable]
kind = table
path = %s/data/curves/digits_mlp.csv
[space]
lr = loguniform(1e-4, 3)
momentum = uniform(0, 0.99)
hidden = choice(16, 32, 64)
layers = randint(1, 3)
batch = choice(16, 32, 64, 128)
weight_decay = loguniform(1e-6, 1e-1)
[scheduler]
type = asha
max_t = 81
grace_period = 3
[log]
trial_files = false
[cluster]
cpus = 4
"""


class Program:
    """A process of the program that serves HTTP."""

    def __init__(self, place, words):
        self.log = open(place / "log", "w+b")
        self.child = subprocess.Popen(
            words,
            cwd=place,
            env=dict(os.environ, XDG_STATE_HOME=str(place / "state")),
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
        )
        end = time.monotonic() + 120
        while True:
            text = Path(self.log.name).read_text(errors="replace")
            found = re.search(r"http://127\.0\.0\.1:(\d+)/#token=([0-9a-f]{64})", text)
            if found:
                break
            if self.child.poll() is not None or time.monotonic() > end:
                raise SystemExit("it does not serve: " + text)
            time.sleep(0.02)
        self.port, self.token = int(found.group(1)), found.group(2)

    def fetch(self, path, connection=None, **headers):
        """The body of an answer."""
        with_own = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with_own.request(
            "GET", path, headers={"Authorization": "Bearer " + self.token, **headers}
        )
        answer = with_own.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError("%s: %d %s" % (path, answer.status, body[:300]))
        return body

    def ask(self, path, connection=None, **headers):
        return json.loads(self.fetch(path, connection, **headers))

    def cpu(self):
        fields = Path("/proc/%d/stat" % self.child.pid).read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / CLOCK

    def memory(self):
        return int(Path("/proc/%d/statm" % self.child.pid).read_text().split()[1]) * PAGE

    def end(self):
        self.child.send_signal(signal.SIGINT)
        try:
            self.child.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.log.close()


def spread(times):
    times = sorted(1000 * x for x in times)
    at = lambda part: round(times[int(part * (len(times) - 1))], 3)
    return {"p50": at(0.5), "p99": at(0.99), "most": at(1)}


def measure_pages(program, grow, trials, place):
    storage = place / "pages"
    maker = subprocess.Popen(
        [grow, storage / "grown", str(trials), "14", "1000"], stdout=subprocess.PIPE, text=True
    )
    try:
        if maker.stdout.readline().strip() != "ready":
            raise SystemExit("the record was not made")
        served = Program(place, [program, "serve", storage, "--http", "127.0.0.1:0"])
        result = {}
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
        for name, query in (
            ("page", "?limit=100"),
            ("sorted", "?limit=100&sort=best:loss"),
            ("filtered", "?limit=100&filter=param%3Alr+%3C+0.01"),
        ):
            path = "/api/v1/experiments/grown/trials" + query
            served.ask(path, connection)
            times, begun = [], time.monotonic()
            while time.monotonic() - begun < 8:
                before = time.monotonic()
                body = served.fetch(path, connection)
                times.append(time.monotonic() - before)
                json.loads(body)
                time.sleep(0.01)
            result[name] = {**spread(times), "requests": len(times)}
        result["memory_mib"] = round(served.memory() / 2**20, 1)
        served.end()
        return result
    finally:
        maker.terminate()
        told = maker.stdout.read().strip()
        maker.wait()
        if told:
            result["reports_per_second"] = float(told)


class Dashboards:
    """Pages that follow an experiment: its events, and what they ask for after each, as web/ does."""

    # What is asked, and the least time between two of them [s].
    PARTS = (("/history?points=1000", 1.5), ("/trials?limit=200", 1.0), ("", 2.0))

    def __init__(self, served, many):
        self.served, self.stopped, self.asked = served, threading.Event(), 0
        self.all = [
            # They do not begin at the same time.
            threading.Thread(target=self.follow_to_the_end, args=(0.17 * i,), daemon=True)
            for i in range(many)
        ]
        for x in self.all:
            x.start()

    def follow_to_the_end(self, after):
        try:
            if not self.stopped.wait(after):
                self.follow()
        except (http.client.HTTPException, OSError):
            # The run has ended before its clients.
            if not self.stopped.is_set():
                raise

    @staticmethod
    def changes(answer):
        """The last event of each piece that comes."""
        rest = b""
        while True:
            piece = answer.read1(65536)
            if not piece:
                return
            rest += piece
            whole, _, rest = rest.rpartition(b"\n\n")
            told = [x for x in whole.split(b"\n") if x.startswith(b"data: ")]
            if told:
                yield json.loads(told[-1][len(b"data: ") :])

    def follow(self):
        events = http.client.HTTPConnection("127.0.0.1", self.served.port, timeout=60)
        events.request(
            "GET",
            "/api/v1/experiments/live/events",
            headers={
                "Authorization": "Bearer " + self.served.token,
                "Accept": "text/event-stream",
            },
        )
        asks = http.client.HTTPConnection("127.0.0.1", self.served.port, timeout=60)
        last = {part: 0.0 for part, _ in self.PARTS}
        for change in self.changes(events.getresponse()):
            if self.stopped.is_set():
                break
            # All pages ask in the same beat, where the server tells its time.
            now = change["at_ms"] / 1000 if "at_ms" in change else None
            headers = {} if now is None else {"Tune-At-Least": str(change["last_seq"])}
            for part, every in self.PARTS:
                is_due = (
                    time.monotonic() - last[part] >= every
                    if now is None
                    else now // every > last[part] // every
                )
                if not is_due:
                    continue
                last[part] = time.monotonic() if now is None else now
                self.served.ask("/api/v1/experiments/live" + part, asks, **headers)
                self.asked += 1
        events.close()

    def end(self):
        self.stopped.set()
        for x in self.all:
            x.join(timeout=30)


class Strangers:
    """Clients that hold connections: half say nothing, half send a byte a second."""

    def __init__(self, served, many):
        self.stopped = threading.Event()
        self.served, self.many, self.all = served, many, []
        self.thread = threading.Thread(target=self.bother, daemon=True)
        self.thread.start()

    def connect(self):
        try:
            one = socket.create_connection(("127.0.0.1", self.served.port), timeout=5)
            one.setblocking(False)
            return one
        except OSError:
            return None

    def bother(self):
        text = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " + b"x" * 10_000
        sent = 0
        while not self.stopped.is_set():
            while len(self.all) < self.many and not self.stopped.is_set():
                self.all.append(self.connect())
            for i, one in enumerate(self.all):
                if one is None:
                    self.all[i] = self.connect()
                elif i % 2 == 0:
                    try:
                        one.send(text[sent : sent + 1])
                    except BlockingIOError:
                        pass
                    except OSError:
                        one.close()
                        self.all[i] = None
            sent = (sent + 1) % len(text)
            self.stopped.wait(1)

    def end(self):
        self.stopped.set()
        self.thread.join()
        for one in self.all:
            if one is not None:
                one.close()


def measure_run(program, place, seconds, company):
    """One run from its beginning, so that all are of the same length and size."""
    shutil.rmtree(place / "results", ignore_errors=True)
    ini = place / "live.ini"
    ini.write_text(RUN % (place / "results", ROOT))
    served = Program(place, [program, "run", ini, "--quiet", "--http", "127.0.0.1:0"])
    others = company(served) if company else None
    reports = lambda: served.ask("/api/v1/experiments/live")["last_seq"]
    time.sleep(2)
    begun, before, cpu = time.monotonic(), reports(), served.cpu()
    time.sleep(seconds)
    took, made, cpu = time.monotonic() - begun, reports() - before, served.cpu() - cpu
    result = {
        "events_per_second": made / took,
        "cpu_s_per_1000_events": 1000 * cpu / made,
        "memory_mib": served.memory() / 2**20,
    }
    if others:
        others.end()
    served.end()
    return result


def main(words):
    if len(words) < 2:
        raise SystemExit(__doc__)
    program, grow = (Path(x).resolve() for x in words[:2])
    trials, seconds, rounds = (
        int(words[i]) if len(words) > i else usual for i, usual in ((2, 100_000), (3, 10), (4, 3))
    )
    place = Path(tempfile.mkdtemp(prefix="tune-http-bench-"))
    kinds = {
        "alone": None,
        "dashboards": lambda served: Dashboards(served, 10),
        "strangers": lambda served: Strangers(served, 1000),
    }
    try:
        result = {"trials": trials, "page": measure_pages(program, grow, trials, place)}
        found = {name: [] for name in kinds}
        for _ in range(rounds):
            for name, company in kinds.items():
                found[name].append(measure_run(program, place, seconds, company))
        result["run"] = {
            name: {key: round(statistics.median(x[key] for x in all), 4) for key in all[0]}
            for name, all in found.items()
        }
        print(json.dumps(result))
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
