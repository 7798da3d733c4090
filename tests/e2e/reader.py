# SPDX-License-Identifier: BSD-3-Clause
"""A user who reads an experiment while it runs, and asks its head. What the user has seen must
stay."""
import contextlib
import json
import sqlite3
import subprocess
import threading

from e2e import DEADLINE, TUNE_NODE, clean_environment

FINAL = ("TERMINATED", "ERRORED")

# The columns of `results` that never change in a row.
REPORT = "seq, t, trial, attempt, training_iteration, number, metrics"


class Onlooker(threading.Thread):
    """A user with a separate terminal."""

    def __init__(self, where):
        super().__init__(daemon=True)
        self.where = where
        self.over = threading.Event()
        self.findings = []

    def rows(self, query, *values):
        path = "file:%s?mode=ro" % (self.where / "experiment.db")
        with contextlib.closing(sqlite3.connect(path, uri=True, timeout=5)) as db:
            return db.execute(query, values).fetchall()

    def tell(self, *words):
        """The JSON output of a command; None if it fails."""
        try:
            told = subprocess.run(
                [TUNE_NODE, *words, "-o", "json"], capture_output=True, text=True,
                timeout=DEADLINE, env=clean_environment(), check=False,
            )
        except subprocess.TimeoutExpired:
            self.findings.append("no answer of %s within %d s" % (words[0], DEADLINE))
            return None
        return json.loads(told.stdout) if told.returncode == 0 else None


class Reader(Onlooker):
    """Reads the database, and runs tune-node's commands, until it is stopped. Anything impossible,
    and any change of what must not change, is a finding."""

    def __init__(self, where):
        super().__init__(where)
        # By place in the log, and by trial.
        self.reports, self.ends = {}, {}
        self.reads = self.answers = self.last = self.trials = 0

    # -- The database.

    def read(self):
        """Reads new rows, and checks that the log has not become shorter."""
        self.saw("last_seq", self.rows("SELECT last_seq FROM experiment")[0][0])
        known = max(self.reports, default=0)
        for row in self.rows("SELECT %s FROM results WHERE seq > ?" % REPORT, known):
            self.reports[row[0]] = row
        self.saw_trials(self.rows("SELECT trial, status, iterations FROM trials"))
        self.reads += 1

    def saw(self, what, last):
        if last < self.last:
            self.findings.append("%s was %d, and is %d" % (what, self.last, last))
        self.last = max(self.last, last)

    def saw_trials(self, rows):
        """Checks that trials stay, and that ends are final."""
        if len(rows) < self.trials:
            self.findings.append("there were %d trials, and are %d" % (self.trials, len(rows)))
        self.trials = max(self.trials, len(rows))
        for row in rows:
            before = self.ends.get(row[0])
            if before is not None and before != row:
                self.findings.append("trial %d had ended as %s, and is %s" % (row[0], before, row))
            elif row[1] in FINAL:
                self.ends[row[0]] = row

    # -- The output of tune-node.

    def ask(self):
        """Checks that `status` and `trials` know everything that was in the database before they
        were asked."""
        ended, reports = len(self.ends), self.trials
        status = self.tell("status", self.where)
        if status is not None:
            self.answers += 1
            told = sum(status["counts"].get(x, 0) for x in FINAL)
            if told < ended:
                self.findings.append("status tells of %d ends, %d were seen" % (told, ended))
        trials = self.tell("trials", self.where)
        if trials is not None:
            self.answers += 1
            over = {int(x["trial"]) for x in trials if x["status"] in FINAL}
            if len(trials) < reports or len(over) < ended:
                self.findings.append("trials tells of %d, %d of them ended; %d and %d were seen"
                                     % (len(trials), len(over), reports, ended))

    # -- The loop.

    def run(self):
        turn = 0
        while not self.over.wait(0.05):
            with contextlib.suppress(sqlite3.OperationalError):
                self.read()
                turn += 1
                if turn % 20 == 0:
                    self.ask()

    def stop(self):
        """Reads once more, now that nothing changes any more. @returns all findings."""
        self.over.set()
        self.join()
        there = {row[0]: row for row in self.rows("SELECT %s FROM results" % REPORT)}
        for seq, row in sorted(self.reports.items()):
            if there.get(seq) != row:
                self.findings.append("report %s was seen; there is %s" % (row, there.get(seq)))
        self.read()
        return self.findings


class Client(Onlooker):
    """A client that asks for trials, each again and again until the head has added it."""

    def __init__(self, where, count, words=()):
        super().__init__(where)
        self.count, self.words = count, words
        # Trials that the head says it has added, by the requested value.
        self.granted = {}

    def run(self):
        while len(self.granted) < self.count and not self.over.wait(0.5):
            value = 1001 + len(self.granted)
            told = self.tell(
                "add", self.where, "x=%d" % value, "daemon=0", *self.words, "--key", str(value)
            )
            if told:
                self.granted[value] = int(told[0]["trial"])

    def stop(self):
        """@returns the number of trials that were added on its request; adds to the findings."""
        self.over.set()
        self.join()
        # The configuration of the first attempt, since a population changes configurations.
        there = self.rows(
            "SELECT trial, json_extract(a.config, '$.x'), min(a.started) FROM trials"
            " JOIN attempts a USING (trial) WHERE origin = 'client' GROUP BY trial"
        )
        there = [row[:2] for row in there]
        for value, trial in self.granted.items():
            if (trial, value) not in there:
                self.findings.append("trial %d, x = %d, was added; there are %s" % (trial, value, there))
        if len({value for _, value in there}) < len(there):
            self.findings.append("a trial was added twice: %s" % there)
        return len(there)
