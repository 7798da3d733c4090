# SPDX-License-Identifier: BSD-3-Clause
"""Experiments that are sent to a standing head over HTTP, with their files."""
import io
import json
import re
import signal
import socket
import tarfile

from e2e import CertifiedCase, main
from http_client import Events, Served

SECRET = "hunter2-hunter2"


def archive(files, more=()):
    """A tar archive of texts by their names, and of further members as they are."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, text in files.items():
            data = text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            member.mode = 0o755
            tar.addfile(member, io.BytesIO(data))
        for member in more:
            tar.addfile(member)
    return made.getvalue()


def member(name, kind, target=""):
    made = tarfile.TarInfo(name)
    made.type = kind
    made.linkname = target
    return made


class Submit(CertifiedCase, Served):
    def setUp(self):
        super().setUp()
        self.log = self.directory / "head.log"
        self.storage = self.directory / "results"
        self.work = self.directory / "work"
        with open(self.log, "w", encoding="utf-8") as err:
            self.server = self.start(
                *("head", "--listen", "127.0.0.1:0", "--certs", self.certs, "--cpus", "2"),
                *("--storage", self.storage, "--work", self.work, "--http", "127.0.0.1:0"),
                *("--log-file", self.directory / "head.jsonl"),
                stderr=err,
                env=self.served_environment(),
            )
        self.wait_until(
            lambda: "experiments may come" in self.log.read_text(), self.server, "an open port"
        )
        self.take_link(self.log.read_text())

    def ini(self, name="exp", samples=2, trainable="command = sh ./train.sh {x}", more=""):
        return (
            "[experiment]\nname = %s\nmetric = loss\nmode = min\nnum_samples = %d\n"
            "[trainable]\n%s\nmetric.loss = loss=(\\S+)\nreport = line\n"
            "[space]\nx = uniform(0, 1)\n%s\n" % (name, samples, trainable, more)
        )

    def send(self, body, status=200, query="", **headers):
        headers.setdefault("Content_Type", "application/x-tar")
        told = self.ask("POST", "/api/v1/experiments" + query, body, **headers)
        self.assertEqual(told.status, status, told)
        return told.json()

    def end_of(self, name):
        def has_ended():
            told = self.get("/api/v1/experiments/" + name)
            # 503: it is taken, and its record has no beginning yet.
            self.assertIn(told.status, (200, 503), told)
            return told.status == 200 and told.json()["status"] != "running"

        self.wait_until(has_ended, what="its end")
        return self.api("/" + name)

    def assert_nothing_is_left(self):
        self.assertEqual([x.name for x in self.work.glob("upload-*")], [])
        self.assertNotIn(str(self.work), self.log.read_text().replace("--work", ""))

    def test_an_experiment_comes_with_its_files_and_is_followed(self):
        body = archive(
            {
                "./exp.ini": self.ini(trainable="command = sh ./train.sh {x}\nfiles = lib"),
                "./train.sh": '. "$(dirname "$0")/lib/words.sh"\necho "$WORD"\necho "loss=$1"\n',
                "./lib/words.sh": "WORD='words of a file'\n",
            }
        )
        told = self.send(body, Idempotency_Key="one")
        self.assertEqual(told["experiment"], "exp")
        self.assertEqual(told["planned"], 2)
        again = self.ask(
            "POST", "/api/v1/experiments", body,
            Content_Type="application/x-tar", Idempotency_Key="one",
        )
        self.assertEqual(again.headers["idempotency-replayed"], "true")
        events = Events(self, "/api/v1/experiments/exp/events")
        self.assertEqual(events.next()["event"], "change")
        events.close()
        self.assertEqual(self.end_of("exp")["trials"]["terminated"], 2)
        log = self.api("/exp/trials/0/logs", offset=0)
        self.assertIn("words of a file", log["text"])
        self.assert_nothing_is_left()
        self.server.send_signal(signal.SIGTERM)
        self.finish(self.server)
        self.run_node("fsck", self.storage / "exp", "--verify")

    def test_what_is_at_fault_is_named(self):
        good = {"train.sh": "echo loss=$1\n"}
        for what, part in (
            (archive({"exp.ini": self.ini(samples=-1)} | good), "num_samples"),
            (archive({"exp.ini": self.ini(more="[scheduler]\ntype = ashaa")} | good), "ashaa"),
            (archive({"exp.ini": self.ini(more="[nothing]\nx = 1")} | good), "nothing"),
            (archive(good), "no file NAME.ini"),
            (archive({"a.ini": "", "b.ini": ""}), "a.ini, b.ini"),
            (archive({"../exp.ini": self.ini()}), "lead out"),
            (archive({"/tmp/exp.ini": self.ini()}), "relative"),
            (archive({"exp.ini": self.ini()}, [member("train.sh", tarfile.SYMTYPE, "/etc/passwd")]),
             "links are not taken"),
            (archive({"exp.ini": self.ini()}, [member("train.sh", tarfile.LNKTYPE, "exp.ini")]),
             "links are not taken"),
            (archive({"exp.ini": self.ini()}, [member("x", tarfile.FIFOTYPE)]), "neither a file"),
            (archive({"exp.ini": self.ini(), "./exp.ini": ""}), "twice"),
            (archive({"%d" % i: "" for i in range(1001)}), "1000 files"),
            (archive({"exp.ini": self.ini(trainable="command = sh x.sh\nfiles = ../../*")}), ".."),
            (archive({"exp.ini": self.ini(trainable="command = sh x.sh\nfiles = /etc/hosts")}),
             "/etc/hosts"),
            (archive({"exp.ini": self.ini(more="[search]\npoints_from = /etc")} | good),
             "points_from = /etc"),
            (b"no tar at all", "no tar archive"),
            (b"", ""),
        ):
            with self.subTest(part=part):
                told = self.send(what, 422)
                self.assertIn(part, told["detail"])
                self.assertNotIn(str(self.work), told["detail"])
        self.assertEqual(self.api("")["experiments"], [])
        self.assert_nothing_is_left()

    def test_limits_hold_before_anything_is_read(self):
        self.send(b"{}", 415, Content_Type="application/json")
        head = (
            "POST /api/v1/experiments HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
            "Content-Type: application/x-tar\r\nContent-Length: %%d\r\n\r\n"
        ) % (self.address, self.token)
        told = self.raw((head % (32 * 1024 * 1024 + 1)).encode())
        self.assertIn(b" 413 ", told.split(b"\r\n")[0])
        # Two large bodies may come at a time; who sends slowly does not hold the others up for ever,
        # and small requests go on.
        slow = [socket.create_connection(("127.0.0.1", self.port), timeout=60) for _ in range(2)]
        for one in slow:
            one.sendall((head % 1_000_000).encode() + b"x")
        self.assertEqual(self.api("")["experiments"], [])

        def is_busy():
            told = self.ask(
                "POST", "/api/v1/experiments", b"x", Content_Type="application/x-tar"
            )
            return told.status == 503 and told.headers["retry-after"] == "1"

        self.wait_until(is_busy, what="503")
        for one in slow:
            one.close()
        self.wait_until(lambda: not is_busy(), what="room")
        self.assertEqual(self.send(b"x", 401, token="wrong")["code"], "wrong_token")

    def test_names_are_taken_once_and_experiments_go_on(self):
        body = archive({"exp.ini": self.ini(), "train.sh": "echo loss=$1\n"})
        self.send(body)
        self.end_of("exp")

        # What a request can do, and no options of the command line.
        def is_at_rest():
            told = self.send(body, 409)["detail"]
            self.assertTrue(told.endswith(" by name = auto in [experiment]"), told)
            self.assertNotIn("--", told)
            return "exp holds an experiment already: go on with it by resume=auto in the" in told

        self.wait_until(is_at_rest, what="its head")
        stop = self.ask("POST", "/api/v1/experiments/exp/stop", b"")
        self.assertEqual(
            stop.json()["detail"],
            "exp: this experiment is done: nothing of it is left to stop; POST /api/v1/experiments"
            "?resume=auto with its archive and a larger [experiment] num_samples takes further"
            " samples")
        more = archive({"exp.ini": self.ini(samples=4), "train.sh": "echo loss=$1\n"})
        self.send(more, query="?resume=auto&file=exp.ini")
        self.wait_until(lambda: self.api("/exp")["trials"]["terminated"] == 4, what="its end")

    def test_the_head_numbers_names_that_are_automatic(self):
        body = archive({"exp.ini": self.ini().replace("name = exp", "name = auto"),
                        "train.sh": "echo loss=$1\n"})
        for wanted in ("exp", "exp-2"):
            self.assertEqual(self.send(body)["experiment"], wanted)
            self.end_of(wanted)
        where = re.search(r"--head (\S+)", self.log.read_text()).group(1)
        told = self.run_node("stop", "exp-2", "--head", where, "--certs", self.certs, code=8)
        self.assertIn("was submitted over HTTP: only who asks over HTTP may", told.err)

    def test_only_a_head_takes_experiments(self):
        head = self.server
        self.server.send_signal(signal.SIGTERM)
        self.finish(head)
        self.start_serving()
        self.assertEqual(self.send(b"x", 409)["code"], "no_head")

    def test_secrets_are_shown_nowhere(self):
        keys = "env.API_KEY = %s\nenv.COLOUR = %s-too" % (SECRET, SECRET)
        body = archive(
            {
                "exp.ini": self.ini(trainable="command = sh ./train.sh {x}\n" + keys),
                "train.sh": 'test "$API_KEY" = %s && echo loss=$1\n' % SECRET,
            }
        )
        self.send(body)
        self.assertEqual(self.end_of("exp")["trials"]["terminated"], 2)
        for path in ("", "/exp", "/exp/trials", "/exp/trials/0", "/exp/decisions", "/exp/log",
                     "/exp/timeline", "/exp/nodes", "/exp/parallel"):
            with self.subTest(path=path):
                told = self.get("/api/v1/experiments" + path)
                self.assertEqual(told.status, 200)
                self.assertNotIn(SECRET, told.body.decode())
        self.assertNotIn(SECRET, self.log.read_text())
        self.assertNotIn(self.token, self.log.read_text().replace("#token=" + self.token, ""))
        self.server.send_signal(signal.SIGTERM)
        self.finish(self.server)
        kept = (self.directory / "head.jsonl").read_text()
        self.assertNotIn(SECRET, kept)
        self.assertNotIn(self.token, kept)
        lines = [json.loads(x) for x in kept.splitlines()]
        self.assertTrue(any("#token=(not shown)" in x["text"] for x in lines), kept)
        self.assertTrue(any("experiment exp" in x["text"] for x in lines), kept)
        self.assertEqual({x["who"] for x in lines}, {"head"})

    def test_a_log_file_that_cannot_be_is_named(self):
        told = self.run_node(
            *("head", "--listen", "127.0.0.1:0", "--certs", self.certs, "--work"),
            *(self.directory / "work2", "--log-file", self.directory),
            code=7,
        )
        self.assertIn("--log-file", told.err)


if __name__ == "__main__":
    main()
