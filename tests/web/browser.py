# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium, spoken to over the pipe of its DevTools protocol."""

import base64
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 120  # [s]


class Absent(Exception):
    """There is no browser here; the text says why."""


class Failed(Exception):
    """The page did not do what was waited for."""


def program():
    asked = os.environ.get("TUNE_BROWSER")
    found = next(filter(None, map(shutil.which, [asked] if asked else PROGRAMS)), None)
    if not found:
        raise Absent("no Chromium is installed (Debian: chromium; or TUNE_BROWSER names one)")
    return found


class Browser:
    """One window. `errors` gathers what no page of ours may cause; `hosts` whom it asked."""

    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="tune-browser-")
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        words = [
            program(),
            "--headless=new",
            "--remote-debugging-pipe",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-extensions",
            "--disable-sync",
            "--disable-background-networking",
            "--disable-component-update",
            "--hide-scrollbars",
            "--user-data-dir=" + self.home,
            "about:blank",
        ]

        def wire():
            # Four ends that may be 3 or 4 themselves: first out of the way.
            a, b = os.dup(theirs_in), os.dup(theirs_out)
            high_a, high_b = 200, 201
            os.dup2(a, high_a)
            os.dup2(b, high_b)
            os.dup2(high_a, 3)
            os.dup2(high_b, 4)

        self.log = open(os.path.join(self.home, "log"), "wb")  # noqa: SIM115
        self.child = subprocess.Popen(
            words,
            stdout=self.log,
            stderr=self.log,
            preexec_fn=wire,
            close_fds=False,
            start_new_session=True,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.ours_in, self.ours_out = ours_in, ours_out
        self.rest, self.number, self.session = b"", 0, None
        self.errors, self.hosts = [], set()
        self.answers = {}
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)

    # -- the protocol ---------------------------------------------------------------------------
    def call(self, method, **parameters):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.ours_out, data) :]
        end = time.monotonic() + PATIENCE
        while number not in self.answers:
            self.listen(end - time.monotonic())
        answer = self.answers.pop(number)
        if "error" in answer:
            raise Failed("%s: %s" % (method, answer["error"]))
        return answer["result"]

    def listen(self, seconds):
        """Takes in what comes within the time, at least one message where one comes."""
        if seconds <= 0:
            raise Failed("the browser does not answer")
        if not select.select([self.ours_in], [], [], seconds)[0]:
            return
        data = os.read(self.ours_in, 1 << 20)
        if not data:
            raise Failed("the browser has ended")
        *whole, self.rest = (self.rest + data).split(b"\0")
        for text in whole:
            self.take(json.loads(text))

    def take(self, message):
        if "id" in message:
            self.answers[message["id"]] = message
            return
        method, what = message["method"], message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "assert"):
            self.errors.append(
                "console: "
                + " ".join(str(x.get("value", x.get("description"))) for x in what["args"])
            )
        elif method == "Log.entryAdded" and what["entry"]["level"] == "error":
            self.errors.append("log: %s %s" % (what["entry"]["text"], what["entry"].get("url", "")))
        elif method == "Network.requestWillBeSent":
            self.hosts.add(
                what["request"]["url"].split("/")[2]
                if "//" in what["request"]["url"]
                else what["request"]["url"][:5]
            )

    # -- what a person does -----------------------------------------------------------------------
    def open(self, url):
        self.call("Page.navigate", url=url)

    def size(self, width, height, scale=1):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=False,
        )

    def prefer(self, scheme):
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def run(self, script):
        """The value of an expression of the page; of a promise, what it comes to."""
        answer = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise Failed(
                "%s: %s"
                % (script, answer["exceptionDetails"].get("exception", {}).get("description"))
            )
        return answer["result"].get("value")

    def wait(self, script, patience=PATIENCE):
        """Waits until an expression of the page is true. Returns its value."""
        end = time.monotonic() + patience
        while True:
            with contextlib.suppress(Failed):
                value = self.run(script)
                if value:
                    return value
            if time.monotonic() > end:
                raise Failed(
                    "waited in vain for %s at %s:\n%s"
                    % (
                        script,
                        self.run("location.href"),
                        self.run("document.body.innerText.slice(0, 1500)"),
                    )
                )
            with contextlib.suppress(Failed):
                self.listen(0.05)

    def click(self, selector):
        """Presses the middle of what is there, as a mouse does."""
        quoted = json.dumps(selector)
        self.wait("document.querySelector(%s)" % quoted + " !== null")
        x, y = self.run(
            "(() => { const e = document.querySelector(%s); e.scrollIntoView({block: 'center'});"
            " const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
            % quoted
        )
        self.press(x, y)

    def press(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, from_x, from_y, to_x, to_y, steps=20):
        self.call(
            "Input.dispatchMouseEvent",
            type="mousePressed",
            x=from_x,
            y=from_y,
            button="left",
            clickCount=1,
        )
        for i in range(1, steps + 1):
            part = i / steps
            self.call(
                "Input.dispatchMouseEvent",
                type="mouseMoved",
                x=from_x + (to_x - from_x) * part,
                y=from_y + (to_y - from_y) * part,
                button="left",
                buttons=1,
            )
        self.call(
            "Input.dispatchMouseEvent",
            type="mouseReleased",
            x=to_x,
            y=to_y,
            button="left",
            clickCount=1,
        )

    def type(self, text):
        self.call("Input.insertText", text=text)

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        Path(path).write_bytes(base64.b64decode(data))
