# SPDX-License-Identifier: BSD-3-Clause
"""An experiment whose head, workers, guards and trials are killed at random moments, or sleep
longer than others wait for them, again and again, until the experiment is done all the same. The
seed decides on victims and times.

  kill_loop.py FIRST_SEED COUNT [TRIALS] [KILLS]

runs COUNT campaigns, under FIFO, both forms of ASHA, PBT and PB2, of `run --listen` and of a
standing head in turns, and prints one line of JSON for each. A failure prints its seed and keeps
the directory.
"""
import contextlib
import json
import os
import random
import re
import shutil
import signal
import sys
import time
import unittest
from pathlib import Path

from aftermath import Aftermath
from chain_log import TRIAL
from cluster import Cluster
from e2e import DEADLINE, FAULTY_NODE, TUNE_NODE, leaders_of, name_of, parent_of
from sleepers import Sleepers, Starvers

WORKERS = ("one", "two")

# Weights of the victims; for "nobody" some process is stopped for a moment instead.
VICTIMS = {
    "head": 8, "worker": 6, "trial": 6, "guard": 2, "head and worker": 2, "nobody": 3,
    "sleeping head": 1, "sleeping worker": 1, "sleeping head and worker": 1, "starving guard": 1,
}

# Silence after which a node is lost, and the range of sleeping times [s].
LOST_AFTER = 2
LEAST_SLEEP, MOST_SLEEP = 0.3 * LOST_AFTER, 3 * LOST_AFTER

ASHA = "[scheduler]\ntype = asha\ngrace_period = 1\nreduction_factor = 3\nmax_t = %d\n"

# Trials take over each other's state. Exploration does not change the reported numbers.
POPULATION = (
    "[scheduler]\ntype = %s\ntime_attr = training_iteration\nperturbation_interval = 3\n"
    "%s = mutable\nsynch = %s\n[space]\nmutable = uniform(0, 1)\n"
)
EXPLORED_BY = {"pbt": "mutate", "pb2": "explore"}

SCHEDULERS = ("fifo", "asha", *EXPLORED_BY, "promotion")

# Trainables of the trials, in tune-node or in a program that has its own.
KINDS = {
    "command": "command = ./chain.sh {x} {steps} {daemon}",
    "process": "name = chain\nisolation = process",
    "reused": "name = chain\nisolation = process\nreuse_actors = true",
    "thread": "name = chain\nisolation = thread",
}

# Schedulers that pause trials.
PROMOTION = ASHA + "form = promotion\n"
PAUSING = ("promotion", *EXPLORED_BY)

LOSSES = ("interrupted", "killed", "node_lost", "preempted")

OPEN_PORT = r"--(?:join|head) \S+:(\d+)"

# Exit codes of a client whose head is out of reach, already has the experiment, or has left.
COMES_AGAIN = (6, 8, 75)

# A resuming head says this if the port of its predecessor is not free yet.
NO_PORT = "cannot listen on"

SHOWN_LINES = 15


class KillLoop(Aftermath, Cluster):
    """One campaign; `conduct` does it all."""

    form = "run"
    victims = VICTIMS
    names = WORKERS
    # Seconds between two looks at the progress.
    tick = 0.005

    def prepare(self, seed, scheduler, trials, kills, kind):
        self.chance = random.Random("%d %s %d %d" % (seed, scheduler, trials, kills))
        self.seed, self.scheduler, self.trials, self.kills = seed, scheduler, trials, kills
        self.killed = dict.fromkeys(("head", "worker", "guard", "trial", "client"), 0)
        self.frozen = 0
        self.slept = {"head": 0, "worker": 0}
        self.sleepers = Sleepers()
        self.addCleanup(self.sleepers.wake_all)
        self.starvers, self.starved = Starvers(), 0
        self.addCleanup(self.starvers.feed_all)
        self.heads = 0
        self.head_process, self.port = None, 0
        self.workers = {}
        # The names of nodes.
        self.called = {name: name for name in self.names}
        self.steps = 5 if scheduler == "fifo" else 9
        # Whether trials give their place, or their state, to others.
        self.is_population = scheduler in EXPLORED_BY
        self.pauses = scheduler in PAUSING
        self.losses = LOSSES + (("paused", "stopped") if self.pauses else ())
        self.kind = kind or self.chance.choice(("command", *KINDS))
        self.program = TUNE_NODE if self.kind == "command" else FAULTY_NODE
        self.own_storage = self.chance.choice(((), self.names[:1], self.names))
        shutil.copy(TRIAL, self.directory / "chain.sh")

    # -- What runs.

    def rule(self):
        """The [scheduler] section."""
        if self.scheduler in ("asha", "promotion"):
            return (ASHA if self.scheduler == "asha" else PROMOTION) % self.steps
        if self.is_population:
            by = EXPLORED_BY[self.scheduler]
            return POPULATION % (self.scheduler, by, self.chance.choice(("true", "false")))
        return ""

    def trainable(self):
        """Keys of the [trainable] section."""
        return KINDS[self.kind]

    def ini_of(self, name):
        chance = self.chance
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\nseed = %d\n"
            "[trainable]\n%s\n"
            "[search]\ntype = random\n[space]\nx = randint(1, 2000000000)\ndaemon = choice(0, 0, 1)\nsteps = %d\n"
            "[checkpoint]\nfrequency = %d\nkeep = %d\nat_end = %s\n"
            "[failure]\nbackoff = 20ms\nmax_killed = unlimited\nmax_node_losses = unlimited\n"
            "[cluster]\ncpus = 2\nkill_grace = 1s\nlost_after = %g\n%s"
            % (
                self.trials, self.seed, self.trainable(), self.steps,
                chance.randint(1, 3), chance.choice((0, 1, 2)), chance.choice(("true", "false")),
                LOST_AFTER, self.rule(),
            ),
            name + ".ini",
        )

    def start_head(self):
        self.heads += 1
        # An existing experiment is resumed, whatever its state.
        resume = ["--resume"] if self.heads > 1 else []
        self.head_log = "head-%d.log" % self.heads
        self.head_process = self.start_on(
            *("head", self.head_log, "run", self.directory / "x.ini", "-o", "json"),
            *("--listen", "127.0.0.1:%d" % self.port, "--certs", self.certs, *resume)
        )

    def said(self):
        return (self.directory / self.head_log).read_text()

    def start_on(self, node, log, *words):
        del node
        # Keeps the log of the predecessor.
        path = self.directory / log
        if path.exists():
            path.rename("%s.%d" % (path, len(list(self.directory.glob(log + "*")))))
        with open(path, "w", encoding="utf-8") as err:
            return self.start(
                "--pdeathsig", "KILL", self.program, *words, program="setpriv", stderr=err
            )

    def start_worker(self, name):
        more = ["--own-storage"] if name in self.own_storage else []
        self.workers[name] = self.start_worker_as(self.called[name], *more)

    def start_worker_as(self, called, *words):
        where = "127.0.0.1:%d" % self.port
        return self.worker(where, called, "--lost-after", LOST_AFTER, *words, cpus=2)

    def begin(self):
        self.start_head()
        self.wait_until(
            lambda: re.search(OPEN_PORT, self.said()), self.head_process, "an open port"
        )
        self.port = int(re.search(OPEN_PORT, self.said()).group(1))
        for name in self.names:
            self.start_worker(name)

    # -- Death.

    def guards(self):
        nodes = self.nodes()
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                pid = int(entry.name)
                if name_of(pid) == "tune-guard" and parent_of(pid) in nodes:
                    found.append(pid)
            except OSError:
                pass
        return found

    def kill_one(self, among, what):
        """Sends SIGKILL to one of these processes, if there is any."""
        if not among:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.chance.choice(sorted(among)), signal.SIGKILL)
            self.killed[what] += 1

    def kill_head(self):
        self.head_process.kill()
        self.killed["head"] += 1
        self.finish(self.head_process, None)
        self.start_head()

    def kill_worker(self, name):
        self.workers[name].kill()
        self.killed["worker"] += 1
        self.finish(self.workers[name], None)
        self.start_worker(name)

    def nodes(self):
        return [self.head_process.pid] + [x.pid for x in self.workers.values()]

    def freeze_one(self):
        """Stops some process for so short a time that it must have no effect."""
        among = self.nodes() + sorted(self.guards()) + leaders_of(self.directory)
        self.frozen += self.sleepers.put(self.chance.choice(among), self.chance.uniform(0, 0.3))

    def starve_guard(self):
        """Keeps a guard from making processes for a while, which must cost no trial anything."""
        guards = sorted(self.guards())
        if guards:
            seconds = self.chance.uniform(0.2, 0.8)
            self.starved += self.starvers.put(self.chance.choice(guards), seconds)

    def put_to_sleep(self, whom, process):
        """Lets a process sleep for less or more time than others wait for it."""
        seconds = self.chance.uniform(LEAST_SLEEP, MOST_SLEEP)
        self.slept[whom] += self.sleepers.put(process.pid, seconds)

    def kill(self):
        whom = self.chance.choices(list(self.victims), list(self.victims.values()))[0]
        if whom == "trial":
            self.kill_one(leaders_of(self.directory), "trial")
        elif whom == "guard":
            self.kill_one(self.guards(), "guard")
        elif whom == "nobody":
            self.freeze_one()
        elif whom == "client":
            self.kill_client()
        elif whom == "starving guard":
            self.starve_guard()
        elif whom.startswith("sleeping"):
            self.let_sleep(whom)
        else:
            self.kill_nodes(whom)

    def kill_nodes(self, whom):
        if "worker" in whom:
            self.kill_worker(self.chance.choice(self.names))
        if "head" in whom:
            self.kill_head()

    def let_sleep(self, whom):
        if "worker" in whom:
            self.put_to_sleep("worker", self.workers[self.chance.choice(self.names)])
        if "head" in whom:
            self.put_to_sleep("head", self.head_process)

    # -- When.

    def ended(self):
        rows = self.rows_if_any("SELECT count(*) AS n FROM trials WHERE ended IS NOT NULL")
        return rows[0]["n"] if rows else 0

    def done(self):
        """Number of ended trials; for a population, which ends as a whole, the equivalent by
        reports."""
        return self.reports() // self.steps if self.is_population else self.ended()

    def reports(self):
        rows = self.rows_if_any("SELECT count(*) AS n FROM results")
        return rows[0]["n"] if rows else 0

    def over(self):
        """Whether the head ended by itself; waits for a port that is not free yet."""
        if self.head_process.poll() is None:
            return False
        if self.head_comes_again():
            self.start_head()
            return False
        return True

    def head_comes_again(self):
        """Whether a head that has ended is to be started again."""
        return self.head_process.returncode != 0 and self.says(self.head_log, NO_PORT)

    def told(self):
        """The result that was printed."""
        return self.finish(self.head_process).json()

    def wait_for_moment(self, before):
        """Waits for the moment of the next kill: by the clock, right after a start, or by
        progress.
        @param before The number of finished trials at which a moment by progress comes.
        @returns whether there was such a moment before the end."""
        if self.chance.random() < 0.4:
            due = time.monotonic() + self.chance.uniform(0, 0.6)
            while time.monotonic() < due:
                if self.over():
                    return False
                time.sleep(0.002)
            return True
        further = self.chance.randint(0, 9)
        pause = self.chance.uniform(0, 0.05)
        self.wait_for_progress(lambda: self.done() >= before)
        count = self.reports() + further
        self.wait_for_progress(lambda: self.reports() >= count)
        time.sleep(pause)
        return not self.over()

    def wait_for_progress(self, ready):
        """Waits until `ready()` or the end; fails if nothing is done for long."""
        last, since = -1, time.monotonic()
        while not self.over() and not ready():
            now = self.reports()
            if now != last:
                last, since = now, time.monotonic()
            if time.monotonic() > since + DEADLINE:
                self.fail("nothing was reported for %d s" % DEADLINE)
            self.look_at_workers()
            time.sleep(self.tick)

    def look_at_workers(self):
        for name, worker in list(self.workers.items()):
            if worker.poll() is not None and not self.was_told_to_end(name):
                self.fail("worker %s ended by itself: %s" % (name, worker.returncode))

    def was_told_to_end(self, name):
        """Whether a worker that has ended was told to end."""
        return False

    # -- The end.

    def end_workers(self):
        """Ends the workers, which must go in order and leave nothing."""
        self.sleepers.wake_all()
        self.starvers.feed_all()
        for worker in self.workers.values():
            worker.send_signal(signal.SIGTERM)
        for name, worker in self.workers.items():
            ended = self.finish(worker, None)
            said = (self.directory / (self.called[name] + ".log")).read_text()
            # A worker that has just started may not be able to go in order yet.
            if ended.code != -signal.SIGTERM or said:
                self.assertEqual(ended.code, 0, ended)
        self.assertEqual(list(self.directory.glob("work-*/jobs/*")), [])
        self.assert_no_trial_processes()

    def conclude(self, began):
        """Waits for the end, and checks what must be true then.
        @returns the seconds it took."""
        self.wait_for_progress(lambda: False)
        told = self.told()
        took = time.monotonic() - began
        self.end_workers()
        self.check(told)
        return took

    def conduct(self, seed, scheduler, trials, kills, kind=None):
        """@returns the figures."""
        self.prepare(seed, scheduler, trials, kills, kind)
        began = time.monotonic()
        self.ini_of("x")
        self.begin()
        # More moments than kills, since sometimes there is no victim.
        moments = sorted(self.chance.randrange(trials * 3 // 4) for _ in range(kills * 3 // 2))
        while moments and sum(self.killed.values()) < kills:
            if not self.wait_for_moment(moments.pop(0)):
                break
            self.kill()
        took = self.conclude(began)
        return {
            "campaign": "kill_loop", "form": self.form, "scheduler": scheduler, "kind": self.kind, "seed": seed, "trials": trials,
            "kills": sum(self.killed.values()), "killed": self.killed, "frozen": self.frozen,
            "slept": self.slept, "starved": self.starved, "heads": self.heads,
            "attempts": len(self.attempts()), "results": self.reports(), "seconds": round(took, 1),
        }

    def end_of_log(self):
        text = (self.directory / self.head_log).read_text() if self.heads else ""
        return "\n".join(text.splitlines()[-SHOWN_LINES:])

    def keeping(self, call, name, story):
        """Returns the result of a call; if the call fails, keeps the directory and prints its path
        after the story."""
        try:
            return call()
        except BaseException:
            kept = Path("%s-kept" % self.directory)
            print("%s: %s: see %s\n%s" % (name, story(), kept, self.end_of_log()), file=sys.stderr)
            self.sleepers.wake_all()
            self.directory.rename(kept)
            raise

    def campaign(self, seed, scheduler, trials, kills, kind=None):
        """Runs `conduct`, and keeps the directory if it fails."""
        return self.keeping(
            lambda: self.conduct(seed, scheduler, trials, kills, kind),
            "kill_loop",
            lambda: "seed %d, %s, %d trials, %d kills, killed %s, slept %s"
            % (seed, scheduler, trials, kills, self.killed, self.slept),
        )


class StandingLoop(KillLoop):
    """A campaign with an experiment that was submitted to a standing head; its client dies,
    too."""

    form = "head"
    victims = dict(VICTIMS, client=3)

    def prepare(self, *how):
        super().prepare(*how)
        self.client, self.clients = None, 0

    def start_head(self):
        self.heads += 1
        self.head_log = "head-%d.log" % self.heads
        self.head_process = self.start_on(
            *("head", self.head_log, "head", "--listen", "127.0.0.1:%d" % self.port),
            *("--certs", self.certs, "--cpus", 2, "--lost-after", LOST_AFTER),
            # What dies with a head counts here: test_head_restart.py has those that outlive it.
            *("--head-grace", "0", "--storage", self.directory / "results"),
            *("--work", self.directory / "work-head")
        )

    def start_client(self):
        # If there is no experiment yet, this starts it.
        self.clients += 1
        self.client = self.start_on(
            *("client", "client-%d.log" % self.clients, "run", self.directory / "x.ini", "-o", "json"),
            *("--head", "127.0.0.1:%d" % self.port, "--certs", self.certs, "--resume")
        )

    def begin(self):
        super().begin()
        self.start_client()

    def kill_client(self):
        self.client.kill()
        self.killed["client"] += 1
        self.finish(self.client, None)
        self.start_client()

    def over(self):
        """Whether a client heard of the end. A client that lost its head, or came while the head
        already had the experiment, is started again."""
        if self.head_process.poll() is not None:
            if not self.head_comes_again():
                self.fail("the head ended by itself: %s" % self.finish(self.head_process, None))
            self.start_head()
        if self.client.poll() is None:
            return False
        if self.client.returncode in COMES_AGAIN:
            self.finish(self.client, None)
            self.start_client()
            return False
        return True

    def told(self):
        result = self.finish(self.client).json()
        self.head_process.send_signal(signal.SIGTERM)
        self.finish(self.head_process)
        self.assertEqual(list(self.directory.glob("work-head/jobs/*")), [])
        return result


FORMS = (KillLoop, KillLoop, StandingLoop)


def run(form, seed, scheduler, trials, kills):
    """Runs one campaign outside of a suite. @returns whether there were no findings."""
    told = {"campaign": "kill_loop", "form": form.form, "scheduler": scheduler, "seed": seed}

    class One(form):
        def runTest(self):
            told.update(self.campaign(seed, scheduler, trials, kills))

    ran = unittest.TestResult()
    One().run(ran)
    for _, text in ran.errors + ran.failures:
        print(text, file=sys.stderr)
    told["findings"] = len(ran.errors) + len(ran.failures)
    print(json.dumps(told), flush=True)
    return ran.wasSuccessful()


def main(first, count, trials=200, kills=50):
    well = True
    for i in range(int(count)):
        seed = int(first) + i
        form, scheduler = FORMS[i % 3], SCHEDULERS[i % len(SCHEDULERS)]
        well = run(form, seed, scheduler, int(trials), int(kills)) and well
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
