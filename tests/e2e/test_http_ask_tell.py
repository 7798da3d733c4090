# SPDX-License-Identifier: BSD-3-Clause
"""ask-tell over HTTP: several clients at once, lost answers, lost clients, a lost server."""
import signal
import threading

from e2e import main
from http_client import Served


class AskTell(Served):
    def bowl(self, samples=4, more=""):
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\nseed = 1\n"
            "[space]\nx = uniform(0, 1)\n%s\n" % (samples, more)
        )

    def converse(self, ini, *words):
        self.server = self.start(
            "ask-tell", ini, "--http", "127.0.0.1:0", *words, env=self.served_environment()
        )
        self.take_link(self.server.stdout.readline())

    def say(self, verb, body=None, status=200, **headers):
        told = self.ask("POST", "/api/v1/experiments/x/" + verb, body or {}, **headers)
        self.assertEqual(told.status, status, told)
        return told.json()

    def report(self, given, iteration, loss, **more):
        metrics = {"training_iteration": iteration, "loss": loss}
        return self.say(
            "tell",
            {
                "op": "report",
                "trial": given["trial"],
                "attempt": given["attempt"],
                "metrics": metrics,
                **more,
            },
        )

    def complete(self, given):
        body = {"op": "complete", "trial": given["trial"], "attempt": given["attempt"]}
        self.assertEqual(self.say("tell", body), {"op": "ok"})

    def end(self, number=signal.SIGTERM):
        self.server.send_signal(number)
        self.finish(self.server, 128 + number)

    def check(self):
        self.run_node("fsck", "results/x", "--verify")

    def test_several_clients_share_the_work(self):
        self.converse(self.bowl(samples=40, more="[scheduler]\ntype = asha\nmax_t = 4\n"))
        faults, mine, over = [], [], {"op": "none", "reason": "finished"}

        def work():
            try:
                while (given := self.say("ask")) != over:
                    if given["op"] == "none":
                        self.assertEqual(given["reason"], "wait")
                        continue
                    mine.append(given["trial"])
                    iteration, decision = 0, "continue"
                    while decision == "continue":
                        iteration += 1
                        loss = given["config"]["x"] + 1 / iteration
                        decision = self.report(given, iteration, loss)["decision"]
            except BaseException as fault:
                faults.append(fault)

        clients = [threading.Thread(target=work) for _ in range(6)]
        for x in clients:
            x.start()
        for x in clients:
            x.join()
        self.assertEqual(faults, [])
        self.assertEqual(len(mine), 40)
        self.assertEqual(len(set(mine)), 40)
        self.assertEqual(self.api("/x")["status"], "done")
        self.assertEqual(self.api("/x")["trials"]["terminated"], 40)
        best = self.say("tell", {"op": "best"})
        self.assertEqual(best["trial"], self.api("/x")["best"]["trial_id"])
        self.end()
        self.check()

    def test_a_request_that_is_sent_twice_counts_once(self):
        self.converse(self.bowl())
        first = self.say("ask", Idempotency_Key="a")
        again = self.ask("POST", "/api/v1/experiments/x/ask", {}, Idempotency_Key="a")
        self.assertEqual(again.json(), first)
        self.assertEqual(again.headers["idempotency-replayed"], "true")
        self.assertNotEqual(self.say("ask", Idempotency_Key="b")["trial"], first["trial"])
        for _ in range(2):
            self.assertEqual(self.report(first, 1, 0.5)["decision"], "continue")
        wish = {"op": "add", "config": {"x": 0.125}}
        added = [self.say("tell", wish, Idempotency_Key="c") for _ in range(2)]
        self.assertEqual(added[0], added[1])
        rows = self.rows("SELECT count(*) AS n FROM results")
        self.assertEqual(rows, [{"n": 1}])
        self.assertEqual(len(self.rows("SELECT * FROM trials WHERE origin = 'client'")), 1)
        self.end()
        self.check()

    def test_nothing_is_lost_or_doubled_when_the_server_is_killed(self):
        ini = self.bowl(samples=6)
        self.converse(ini, "--lease", "1h")
        given = [self.say("ask") for _ in range(2)]
        self.report(given[0], 1, 0.5, checkpoint="one")
        added = self.say("tell", {"op": "add", "config": {"x": 0.5}}, Idempotency_Key="k")
        for round in range(2, 5):
            self.server.kill()
            self.server.communicate()
            self.converse(ini, "--resume", "--lease", "1h")
            # The answer may have been lost: it is said again.
            self.report(given[0], round - 1, 0.5)
            self.report(given[0], round, 0.5)
            again = self.say("tell", {"op": "add", "config": {"x": 0.5}}, Idempotency_Key="k")
            self.assertEqual(again["trial"], added["trial"])
        for x in given:
            self.complete(x)
            self.complete(x)
        while (x := self.say("ask"))["op"] == "trial":
            self.report(x, 1, 0.25)
            self.complete(x)
        self.assertEqual(x["reason"], "finished")
        self.end()
        counts = self.rows("SELECT status, count(*) AS n FROM trials GROUP BY status")
        self.assertEqual(counts, [{"status": "TERMINATED", "n": 7}])
        found = self.rows("SELECT training_iteration AS i FROM results WHERE trial = 0")
        self.assertEqual([x["i"] for x in found], [1, 2, 3, 4])
        self.check()

    def test_the_trial_of_a_client_that_died_is_given_to_another(self):
        self.converse(self.bowl(samples=1), "--lease", "1ms")
        dead = self.say("ask")
        self.report(dead, 1, 0.5, checkpoint="s3://one")
        heir = {"op": "none"}
        self.wait_until(lambda: heir.update(self.say("ask")) or heir["op"] == "trial")
        self.assertEqual((heir["trial"], heir["attempt"]), (dead["trial"], 2))
        self.assertEqual(heir["from"]["checkpoint"], "s3://one")
        late = self.report(dead, 2, 0.25)
        self.assertEqual(late["decision"], "stop")
        ends = self.rows("SELECT end_class FROM attempts WHERE ended IS NOT NULL")
        self.assertEqual({x["end_class"] for x in ends}, {"node_lost"})
        self.end()
        self.check()

    def test_what_is_asked_wrongly_is_told(self):
        self.converse(self.bowl())
        given = self.say("ask")
        name, attempt = given["trial"], given["attempt"]
        for body, part in (
            ({"op": "ask"}, "op has to be one of"),
            ({}, "op has to be one of"),
            ({"op": "stop", "trial": "00099"}, "no trial 00099"),
            ({"op": "report", "trial": name, "metrics": {}}, "attempt is missing"),
            ({"op": "report", "trial": name, "attempt": attempt}, "metrics"),
            (
                {"op": "report", "trial": name, "attempt": attempt, "metrics": {"loss": 1}},
                "training_iteration is missing",
            ),
            (
                {"op": "report", "trial": name, "attempt": 9, "metrics": {"training_iteration": 1}},
                "there is no 9",
            ),
            ({"op": "add", "config": {"x": 7}}, "x"),
            ({"op": "best", "colour": "red"}, "colour"),
        ):
            with self.subTest(body=body):
                self.assertIn(part, self.say("tell", body, 422)["detail"])
        self.assertIn("1 to 200", self.say("ask", {}, 400, Idempotency_Key="k" * 201)["detail"])
        told = self.ask("POST", "/api/v1/experiments/x/ask", {}, token="wrong")
        self.assertEqual(told.status, 401)
        self.assertEqual(self.ask("POST", "/api/v1/experiments/y/ask", {}).status, 404)
        self.end()

    def test_orders_of_the_page_reach_the_conversation(self):
        self.converse(self.bowl())
        first = self.say("ask")
        told = self.say("trials/0/stop")
        self.assertEqual(told["told"][0]["outcome"], "taken")
        self.assertEqual(self.report(first, 1, 1)["decision"], "stop")
        told = self.say("trials/0/stop")
        self.assertEqual(told["told"][0]["outcome"], "needless")
        self.assertEqual(self.say("trials/77/stop", None, 404)["code"], "unknown")
        added = self.say("trials", {"config": {"x": 0.5}})["told"][0]
        self.assertEqual(added["outcome"], "taken")
        self.assertEqual(self.api("/x/trials/" + added["trial"])["config"], {"x": 0.5})
        self.assertEqual(self.say("trials", {"config": {"x": 5}}, 422)["status"], 422)
        self.assertIn("clients run", self.say("pause", {}, 409)["detail"])
        self.end(signal.SIGINT)

    def test_only_the_process_that_leads_can_be_asked(self):
        self.converse(self.bowl())
        self.end()
        self.start_serving()
        told = self.say("ask", {}, 409)
        self.assertEqual(told["code"], "not_asked")
        self.assertIn("ask-tell", told["detail"])

    def test_options_that_do_not_fit_are_refused(self):
        ini = self.bowl()
        told = self.run_node("ask-tell", ini, "--lease", "5s", code=2)
        self.assertIn("--lease needs --http", told.err)
        told = self.run_node("ask-tell", ini, "--http", "0.0.0.0:0", code=8)
        self.assertIn("TLS", told.err)
        self.assertFalse((self.directory / "results/x").exists())


if __name__ == "__main__":
    main()
