# SPDX-License-Identifier: BSD-3-Clause
"""Processes that are stopped, or denied descriptors, each for a given time."""
import contextlib
import os
import resource
import signal
import threading


class Sleepers:
    """Stops processes with SIGSTOP. Each is woken by an alarm of its own, whatever its test waits
    for."""

    def __init__(self):
        self.lock = threading.Lock()
        # By pid: the number of pending alarms, and a descriptor of the process.
        self.asleep = {}
        self.alarms = []

    def put(self, pid, seconds):
        """Stops a process for so long; one that sleeps already sleeps until its last alarm.
        @returns whether the process existed."""
        with self.lock:
            count, process = self.asleep.get(pid, (0, None))
            try:
                process = process or os.pidfd_open(pid)
                signal.pidfd_send_signal(process, signal.SIGSTOP)
            except ProcessLookupError:
                return False
            self.asleep[pid] = (count + 1, process)
        alarm = threading.Timer(seconds, self._ring, (pid,))
        alarm.daemon = True
        self.alarms.append(alarm)
        alarm.start()
        return True

    def wake_all(self):
        """Wakes all processes at once. Those that are put to sleep later do sleep."""
        for alarm in self.alarms:
            alarm.cancel()
        self.alarms = []
        with self.lock:
            for pid in list(self.asleep):
                self._wake(pid)

    def _ring(self, pid):
        with self.lock:
            count, process = self.asleep.get(pid, (0, None))
            if count > 1:
                self.asleep[pid] = (count - 1, process)
            elif count:
                self._wake(pid)

    def _wake(self, pid):
        _, process = self.asleep.pop(pid)
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(process, signal.SIGCONT)
        os.close(process)


class Starvers:
    """Denies processes further descriptors, each until an alarm of its own: a guard cannot make
    processes meanwhile."""

    def __init__(self):
        self.lock = threading.Lock()
        # By pid: the old limits.
        self.starved = {}
        self.alarms = []

    def put(self, pid, seconds):
        """@returns whether the process existed and had enough descriptors."""
        with self.lock:
            if pid in self.starved:
                return False
            try:
                before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
                resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, before[1]))
            except ProcessLookupError:
                return False
            self.starved[pid] = before
        alarm = threading.Timer(seconds, self._feed, (pid,))
        alarm.daemon = True
        self.alarms.append(alarm)
        alarm.start()
        return True

    def feed_all(self):
        for alarm in self.alarms:
            alarm.cancel()
        self.alarms = []
        for pid in list(self.starved):
            self._feed(pid)

    def _feed(self, pid):
        with self.lock:
            before = self.starved.pop(pid, None)
            if before:
                with contextlib.suppress(ProcessLookupError):
                    resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
