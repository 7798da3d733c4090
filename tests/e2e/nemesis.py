# SPDX-License-Identifier: BSD-3-Clause
"""A head, three workers, their guards and their trials that sleep, die and are replaced around the time
after which they count as lost, while somebody reads along.

    nemesis.py SEED SECONDS [ROUND]

goes through rounds under ASHA's promotion and under PBT, of `run --listen` and of a standing head, until
the time is over, or only through one round, and prints one line of JSON. The seed and the number of a
round decide all that happens in it; a failure prints both, with the plan and what came of it, and keeps
the directory. In the end of a round

- no attempt was begun twice, and no trial trained twice at once,
- each report that was seen is there, each that was answered unless its head died within a moment, and
  none that was never made,
- each trial came to its end, and the head to exit code 0,
- nothing is left: no process, no control group, no checkpoint without a row, no finding of fsck.
"""
import json
import signal
import sys
import time
import unittest
from collections import Counter, namedtuple
from pathlib import Path

from chain_log import ChainLog
from e2e import leaders_of, parent_of
from kill_loop import LEAST_SLEEP, LOST_AFTER, MOST_SLEEP, KillLoop, StandingLoop
from reader import Client, Reader

WORKERS = ("a", "b", "c")
HEAD = "head"
SCHEDULERS = ("promotion", "pbt")

# Seconds of faults in a round.
ROUND = 40
# Trials of a round per second of faults; size of a population, and its trials' steps per second.
PACE = 5
POPULATION, STEPS_PER_SECOND = 12, 0.7
# Trials that a client adds in a round, and its further words by scheduler.
WISHES = 3
NAMED = {"promotion": (), "pbt": ("mutable=0.5",)}
# Seconds between two looks at the trials' own log.
LOOK = 0.5

# After `at` seconds `verb` is done to `whom`, or to a trial or guard of `whom`. `how` is the time
# of a sleep, or selects one of several.
Deed = namedtuple("Deed", "at fault verb whom how")


# -- Faults: each gives (seconds after its beginning, verb, whom, how).

def nap(chance):
    return chance.uniform(LEAST_SLEEP, MOST_SLEEP)


def around_a_lease(chance):
    return chance.uniform(0, 1.3 * LOST_AFTER)


def head_sleeps(chance):
    yield 0, "sleep", HEAD, nap(chance)


def worker_sleeps(chance):
    yield 0, "sleep", chance.choice(WORKERS), nap(chance)


def head_and_worker_sleep(chance):
    yield 0, "sleep", HEAD, nap(chance)
    yield chance.uniform(0, MOST_SLEEP / 2), "sleep", chance.choice(WORKERS), nap(chance)


def all_sleep(chance):
    for whom in (HEAD, *WORKERS):
        yield chance.uniform(0, 0.2), "sleep", whom, nap(chance)


def sleeper_dies(chance):
    whom, length = chance.choice((HEAD, HEAD, *WORKERS)), nap(chance)
    yield 0, "sleep", whom, length
    yield chance.uniform(0, length), "kill", whom, 0


def sleeper_is_told_to_go(chance):
    whom, length = chance.choice((HEAD, HEAD, *WORKERS)), nap(chance)
    yield 0, "sleep", whom, length
    yield chance.uniform(0, length), chance.choice(("TERM", "INT")), whom, 0


def somebody_is_told_to_go(chance):
    yield 0, chance.choice(("TERM", "INT")), chance.choice((HEAD, *WORKERS)), 0


def somebody_dies(chance):
    yield 0, "kill", chance.choice((HEAD, *WORKERS)), 0


def worker_is_replaced(chance):
    yield 0, "replace", chance.choice(WORKERS), 0


def behind_a_sleeping_head(verb, most=1):
    def fault(chance):
        yield 0, "sleep", HEAD, nap(chance)
        whom = chance.choice(WORKERS)
        for _ in range(chance.randint(1, most)):
            yield around_a_lease(chance), verb, whom, chance.random()

    return fault


def somewhere(verb):
    def fault(chance):
        yield 0, verb, chance.choice((HEAD, *WORKERS)), chance.random()

    return fault


def trial_sleeps(chance):
    yield 0, "sleep trial", chance.choice((HEAD, *WORKERS)), nap(chance)


def guard_sleeps(chance):
    yield 0, "sleep guard", chance.choice((HEAD, *WORKERS)), nap(chance)


# Weights and faults.
FAULTS = {
    "head sleeps": (5, head_sleeps),
    "worker sleeps": (3, worker_sleeps),
    "head and worker sleep": (3, head_and_worker_sleep),
    "all sleep": (1, all_sleep),
    "sleeper dies": (2, sleeper_dies),
    "sleeper is told to go": (2, sleeper_is_told_to_go),
    "somebody is told to go": (2, somebody_is_told_to_go),
    "somebody dies": (2, somebody_dies),
    "worker is replaced": (1, worker_is_replaced),
    "worker dies behind a sleeping head": (1, behind_a_sleeping_head("kill")),
    "worker is replaced behind a sleeping head": (1, behind_a_sleeping_head("replace")),
    "trials die behind a sleeping head": (4, behind_a_sleeping_head("kill trial", 3)),
    "guard dies behind a sleeping head": (2, behind_a_sleeping_head("kill guard")),
    "guard dies": (1, somewhere("kill guard")),
    "trial dies": (2, somewhere("kill trial")),
    "trial sleeps": (2, trial_sleeps),
    "guard sleeps": (1, guard_sleeps),
}


def plan_of(chance, seconds):
    """Deeds in the order of their times. Faults may begin before the last one is over."""
    weights = [weight for weight, _ in FAULTS.values()]
    at, deeds = 1.0, []
    while at < seconds:
        name = chance.choices(list(FAULTS), weights)[0]
        deeds += [Deed(round(at + x[0], 3), name, *x[1:]) for x in FAULTS[name][1](chance)]
        at += chance.uniform(0.2, 2.5) * LOST_AFTER
    return sorted(deeds)


class Nemesis:
    """One round, mixed into a `KillLoop` that says in which form; `conduct_round` does it all."""

    names = WORKERS
    tick = 0.02
    # Exit codes of a head that was told to go.
    went = (130, 143, -signal.SIGINT, -signal.SIGTERM)

    def prepare_round(self, seed, scheduler, seconds):
        trials = POPULATION if scheduler == "pbt" else int(PACE * seconds)
        self.prepare(seed, scheduler, trials, 0, "command")
        if scheduler == "pbt":
            self.steps = max(9, int(STEPS_PER_SECOND * seconds))
        self.plan = plan_of(self.chance, seconds)
        (self.directory / "say").mkdir()
        self.log = ChainLog(self.directory / "say" / "log")
        self.done, self.told_to_go, self.looked = [], set(), 0
        # Former names of workers.
        self.retired = []

    def trainable(self):
        return 'command = ./chain.sh {x} {steps} {daemon} "%s" 0.' % self.log.path

    def ini_of(self, name):
        path = super().ini_of(name)
        # A memory request, so that each trial has a control group if one can be made.
        path.write_text(path.read_text() + "\n[resources]\nmemory = 128MiB\n")
        return path

    # -- Processes that were told to go start again.

    def start_head(self):
        self.told_to_go.discard(HEAD)
        super().start_head()

    def start_worker(self, name):
        self.told_to_go.discard(name)
        super().start_worker(name)

    def head_comes_again(self):
        went = HEAD in self.told_to_go and self.head_process.returncode in self.went
        return went or super().head_comes_again()

    def look_at_workers(self):
        for name in WORKERS:
            if self.workers[name].poll() is not None and self.was_told_to_end(name):
                self.start_worker(name)
        super().look_at_workers()
        if time.monotonic() > self.looked + LOOK:
            self.check_beginnings()
            self.looked = time.monotonic()

    def was_told_to_end(self, name):
        return name in self.told_to_go and self.workers[name].returncode == 0

    # -- Deeds.

    def process(self, whom):
        return self.head_process if whom == HEAD else self.workers[whom]

    def trials_of(self, whom):
        """Pids of the trials of a node."""
        return [x for x in leaders_of(self.directory) if self.node_of(x) == self.process(whom).pid]

    @staticmethod
    def node_of(trial):
        try:
            return parent_of(parent_of(trial))
        except OSError:
            return None

    def guard_of(self, whom):
        return sorted(x for x in self.guards() if self.is_child(x, self.process(whom).pid))

    @staticmethod
    def is_child(pid, of):
        try:
            return parent_of(pid) == of
        except OSError:
            return False

    def some(self, what, whom):
        return self.trials_of(whom) if what == "trial" else self.guard_of(whom)

    def do(self, deed):
        verb, _, what = deed.verb.partition(" ")
        if verb == "sleep":
            among = self.some(what, deed.whom) if what else [self.process(deed.whom).pid]
            came = bool(among) and self.sleepers.put(self.chance.choice(among), deed.how)
        elif verb == "kill" and what:
            before = self.killed[what]
            self.kill_one(self.some(what, deed.whom), what)
            came = self.killed[what] > before
        else:
            came = True
            self.do_to_node(verb, deed.whom)
        self.done.append((round(time.monotonic() - self.began, 3), came, deed))

    def do_to_node(self, verb, whom):
        if verb in ("TERM", "INT"):
            self.told_to_go.add(whom)
            self.process(whom).send_signal(getattr(signal, "SIG" + verb))
        elif whom == HEAD:
            self.kill_head()
        else:
            if verb == "replace":
                self.rename(whom)
            self.kill_worker(whom)

    def rename(self, whom):
        """The next worker there has another name and another directory."""
        self.retired.append(self.called[whom])
        self.called[whom] = "%s%d" % (whom, len(self.retired))

    # -- Requirements.

    def check_beginnings(self):
        """Facts in the trials' own log that must hold at any time."""
        self.assertEqual(self.log.begun_twice(), [], "attempts that began twice")
        self.assertEqual(self.log.trained_beside(), [], "trials beside themselves")
        self.assertEqual(self.log.trained_on(), [], "attempts that trained on after the next began")

    def check_reports(self):
        """Checks that every answered report is recorded, and every recorded report was made. An
        answer does not wait for the disk (docs/decisions/0001): a head that is killed may lose the
        newest reports of running trials, which are then made anew, but never a report before
        another that is recorded."""
        rows = self.rows("SELECT trial, attempt, training_iteration FROM results")
        there = {tuple(row.values()) for row in rows}
        newest = {}
        for trial, attempt, iteration in there:
            newest[trial, attempt] = max(newest.get((trial, attempt), 0), iteration)
        died = {(x["trial"], x["attempt"]) for x in self.attempts() if x["end_class"] == "interrupted"}
        missing = {
            x for x in self.log.answered() - there
            if x[:2] not in died or x[2] < newest.get(x[:2], 0)
        }
        self.assertEqual(missing, set(), "answered, and not there")
        self.assertEqual(there - self.log.stepped(), set(), "there, and never made")
        placed = {(x["trial"], x["attempt"]) for x in self.attempts()}
        begun = {(x.trial, x.attempt) for x in self.log.lines("begin")}
        self.assertEqual(begun - placed, set(), "begun, and not in the record")

    def check_groups(self):
        roots = (Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup"))
        left = [str(x) + y for x in roots for y in self.log.groups() if y.count("tune-")]
        self.assertEqual([x for x in left if Path(x).exists()], [], "control groups that are left")

    def end_workers(self):
        # Leftovers of a killed worker are removed when a worker starts there again.
        for name in self.retired:
            again = "once " + name
            self.called[again] = name
            self.workers[again] = self.start_worker_as(name)
            # It prints only after the sweep.
            log = self.directory / (name + ".log")
            self.wait_until(log.read_text, self.workers[again], "a word of " + name)
        super().end_workers()

    def check(self, told):
        self.trials += self.wisher.stop()
        self.assertEqual(self.reader.stop() + self.wisher.findings, [])
        self.check_beginnings()
        self.check_reports()
        self.check_groups()
        self.assertEqual(told["status"], "done")
        super().check(told)

    # -- A round.

    def conduct_round(self, seed, scheduler, seconds):
        """@returns the figures."""
        self.prepare_round(seed, scheduler, seconds)
        self.ini_of("x")
        where = self.directory / "results" / "x"
        self.reader, self.wisher = Reader(where), Client(where, WISHES, NAMED[scheduler])
        self.begin()
        # A process that is told to go before it heeds signals dies of that.
        for name in WORKERS:
            log = self.directory / (self.called[name] + ".log")
            self.wait_until(log.read_text, self.workers[name], "a word of " + name)
        self.began = time.monotonic()
        for who in (self.reader, self.wisher):
            self.addCleanup(who.over.set)
            who.start()
        for deed in self.plan:
            self.wait_for_progress(lambda x=deed.at: time.monotonic() >= self.began + x)
            if self.over():
                break
            self.do(deed)
        took = self.conclude(self.began)
        return {
            "trials": self.trials, "attempts": len(self.attempts()), "results": self.reports(),
            "deeds": Counter(x.fault for _, came, x in self.done if came),
            "reads": self.reader.reads, "answers": self.reader.answers,
            "added": len(self.wisher.granted), "heads": self.heads,
            "seconds": round(took, 1),
        }

    def story(self):
        """The plan and its outcome."""
        lines = ["%.3f s: %s, %s %s %s%s"
                 % (at, x.fault, x.verb, x.whom, x.how or "", "" if came else ": nobody there")
                 for at, came, x in self.done]
        left = ["planned for %.3f s: %s" % (x.at, tuple(x[1:])) for x in self.plan[len(self.done):]]
        return "\n".join(["%s, seed %d, %s" % (self.form, self.seed, self.scheduler), *lines, *left])

    def round(self, seed, scheduler, seconds):
        """Runs `conduct_round`; if that fails, prints the story and keeps the directory."""
        return self.keeping(
            lambda: self.conduct_round(seed, scheduler, seconds), "nemesis", self.story
        )


class RunNemesis(Nemesis, KillLoop):
    pass


class StandingNemesis(Nemesis, StandingLoop):
    went = (0, *Nemesis.went)


FORMS = (RunNemesis, StandingNemesis)


def run(form, seed, scheduler, seconds):
    """Runs one round outside of a suite. @returns its figures and its findings."""
    told = {}

    class One(form):
        def runTest(self):
            told.update(self.round(seed, scheduler, seconds))

    ran = unittest.TestResult()
    One().run(ran)
    return told, [text for _, text in ran.errors + ran.failures]


def main(seed, seconds, only=None):
    end = time.monotonic() + float(seconds)
    sums, deeds, findings, rounds, number = Counter(), Counter(), 0, 0, int(only or 0)
    while time.monotonic() < end:
        form, scheduler = FORMS[number // 2 % 2], SCHEDULERS[number % 2]
        told, found = run(form, 1000 * int(seed) + number, scheduler, ROUND)
        for text in found:
            print("nemesis: seed %s, round %d\n%s" % (seed, number, text), file=sys.stderr)
        findings += len(found)
        deeds.update(told.pop("deeds", {}))
        sums.update(told)
        number += 1
        if only is not None:
            end = 0
        rounds += 1
    sums["seconds"] = round(sums["seconds"], 1)
    print(json.dumps({"campaign": "nemesis", "seed": int(seed), "rounds": rounds, **sums,
                      "deeds": deeds, "findings": findings}), flush=True)
    return 0 if findings == 0 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
