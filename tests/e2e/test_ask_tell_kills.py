# SPDX-License-Identifier: BSD-3-Clause
"""ask-tell: whenever the program is killed, the same requests lead to the same decisions."""
import json
import random
import select
import subprocess

from e2e import Case, main

SPACE = "[space]\nlr = loguniform(0.001, 1)\nmomentum = uniform(0, 1)\n"
POPULATION = "time_attr = training_iteration\nperturbation_interval = 2\nquantile_fraction = 0.4\n"
SCHEDULERS = {
    "fifo": "",
    "asha": "max_t = 8\ngrace_period = 1\nreduction_factor = 2\n",
    "hyperband": "max_t = 8\nreduction_factor = 2\n",
    "pbt": POPULATION,
    "pb2": POPULATION,
}
ITERATIONS = 8


class Patient:
    """A conversation with a program that is killed at random moments and started again."""

    def __init__(self, case, ini, chance=None):
        self.case, self.ini, self.chance, self.kills = case, ini, chance, 0
        self.child = self.begin()

    def begin(self, *more):
        return self.case.start("ask-tell", self.ini, "--quiet", *more, stdin=subprocess.PIPE)

    def say(self, request):
        line = json.dumps(request) + "\n"
        while True:
            deadly = self.chance is not None and self.chance.random() < 0.12
            self.child.stdin.write(line)
            self.child.stdin.flush()
            if deadly:
                # Somewhere between the request and its answer.
                select.select([self.child.stdout], [], [], self.chance.random() * 0.004)
                self.kill()
                continue
            answer = self.child.stdout.readline()
            if not answer:
                self.case.fail("no answer to %s: %s" % (line, self.case.finish(self.child, None)))
            return json.loads(answer)

    def kill(self):
        self.child.kill()
        self.child.communicate()
        self.kills += 1
        self.child = self.begin("--resume")

    def end(self):
        self.case.finish(self.child)


class Executor:
    """Trains three trials side by side. Their losses depend on configuration, trial and iteration
    alone; some trials fail once."""

    def __init__(self, talk):
        self.talk, self.running, self.failed, self.heard = talk, {}, set(), []

    def say(self, op, trial=None, **fields):
        request = {"op": op, **fields}
        if trial is not None:
            request.update(trial=trial, attempt=self.running[trial]["attempt"])
        answer = self.talk.say(request)
        for other in answer.pop("others", []):
            self.running.pop(other["trial"], None)
        shown = {name: x for name, x in answer.items() if name != "attempt"}
        self.heard.append((op, trial, shown))
        return answer

    def tune(self):
        for _ in range(400):
            while len(self.running) < 3:
                given = self.say("ask", running=sorted(self.running))
                if given["op"] == "none":
                    if given["reason"] == "finished":
                        return
                    break
                at = given["from"]["iteration"] if given["resume"] else 0
                self.running[given["trial"]] = dict(given, at=at)
            for trial in sorted(self.running):
                if trial in self.running:
                    self.step(trial)
        self.talk.case.fail("it never finished")

    def step(self, trial):
        state = self.running[trial]
        at = state["at"] + 1
        if at > ITERATIONS:
            self.say("complete", trial)
            del self.running[trial]
        elif int(trial) % 4 == 2 and at == 3 and trial not in self.failed:
            self.failed.add(trial)
            self.say("error", trial, message="boom")
            del self.running[trial]
        else:
            state["at"] = at
            config = state["config"]
            loss = abs(config["lr"] - 0.1) + config["momentum"] / at + int(trial) * 7 % 5 / 50
            answer = self.say(
                "report",
                trial,
                metrics={"training_iteration": at, "loss": loss},
                checkpoint="%s/%d" % (trial, at),
            )
            if answer["decision"] != "continue":
                self.running.pop(trial, None)


class AskTellKills(Case):
    def tune(self, name, scheduler, chance=None):
        ini = self.ini(
            "[experiment]\nname = %s\nmetric = loss\nmode = min\nnum_samples = 10\n"
            "[failure]\nmax_failures = 1\nbackoff = 0\n%s[scheduler]\ntype = %s\n%s"
            % (name, SPACE, scheduler, SCHEDULERS[scheduler]),
            name + ".ini",
        )
        executor = Executor(Patient(self, ini, chance))
        executor.tune()
        executor.talk.end()
        # Without `seq` and `t`, which depend on other events and on the time.
        decided = self.rows(
            "SELECT trial, training_iteration, action, reason FROM decisions ORDER BY seq",
            name,
        )
        self.run_node("fsck", "results/" + name, "--verify")
        return executor, decided

    def test_the_same_words_lead_to_the_same_decisions(self):
        for scheduler in SCHEDULERS:
            with self.subTest(scheduler):
                calm, expected = self.tune(scheduler + "-calm", scheduler)
                stormy, got = self.tune(scheduler + "-stormy", scheduler, random.Random(scheduler))

                self.assertGreater(stormy.talk.kills, 5)
                self.assertEqual(stormy.heard, calm.heard)
                self.assertEqual(got, expected)
                actions = {x["action"] for x in expected}
                if scheduler in ("pbt", "pb2"):
                    self.assertIn("exploit", actions)


if __name__ == "__main__":
    main()
