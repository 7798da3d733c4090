# SPDX-License-Identifier: BSD-3-Clause
"""gpu_trial.py BYTES SECONDS: has that much memory of the first GPU that it sees, works on it for
that long, and reports all the while. With each report comes what the driver says of this process:
the bytes that it has, or -1 where the driver does not show it. Needs Python and the driver alone."""
import ctypes
import json
import os
import sys
import time


class Gpu:
    """The first GPU that CUDA shows, with a context of ours."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.context = ctypes.c_void_p()
        # Of all versions the one that every driver has: the primary context.
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), device)
        self.call("cuCtxSetCurrent", self.context)
        self.memory = ctypes.c_uint64()
        self.size = 0

    def call(self, name, *words):
        code = getattr(self.cuda, name)(*words)
        if code != 0:
            raise SystemExit("%s gave %d" % (name, code))

    def take(self, size):
        self.size = size
        self.call("cuMemAlloc_v2", ctypes.byref(self.memory), ctypes.c_size_t(size))

    def work(self, seconds):
        """Writes to all of the memory again and again."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.call("cuMemsetD8_v2", self.memory, ctypes.c_ubyte(1), ctypes.c_size_t(self.size))
            self.call("cuCtxSynchronize")


class Process(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("bytes", ctypes.c_ulonglong),
                ("instances", ctypes.c_uint * 2)]


class Driver:
    """The management library."""

    def __init__(self):
        self.library = ctypes.CDLL("libnvidia-ml.so.1")
        self.code = self.library.nvmlInit_v2()

    def count(self):
        count = ctypes.c_uint(0)
        code = self.library.nvmlDeviceGetCount_v2(ctypes.byref(count)) if self.code == 0 else 1
        return count.value if code == 0 else 0

    def handle(self, index):
        handle = ctypes.c_void_p()
        code = self.library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle))
        return handle if code == 0 else None

    def energy(self):
        """Of all GPUs since the driver was loaded, in joules; None where one does not tell."""
        total = 0
        for index in range(self.count()):
            told = ctypes.c_ulonglong()
            if self.library.nvmlDeviceGetTotalEnergyConsumption(self.handle(index),
                                                                ctypes.byref(told)) != 0:
                return None
            total += told.value / 1000
        return total

    def processes(self, index):
        count = ctypes.c_uint(128)
        room = (Process * 256)()
        if self.library.nvmlDeviceGetComputeRunningProcesses_v3(
                self.handle(index), ctypes.byref(count), room) != 0:
            return []
        return [(x.pid, x.bytes) for x in room[: count.value]]

    def bytes_of(self, pid):
        """What a process has on all GPUs; -1 where it is not shown."""
        found = [size for index in range(self.count()) for number, size in self.processes(index)
                 if number == pid and size != 2**64 - 1]
        return sum(found) if found else -1


def main():
    size, seconds = int(sys.argv[1]), float(sys.argv[2])
    print("CUDA_VISIBLE_DEVICES=" + os.environ.get("CUDA_VISIBLE_DEVICES", "none"), flush=True)
    gpu, driver = Gpu(), Driver()
    gpu.take(size)
    out = os.fdopen(int(os.environ["TUNE_TRIAL_REPORT_FD"]), "w")
    answers = os.fdopen(int(os.environ["TUNE_TRIAL_ANSWER_FD"]))
    steps = 10
    for step in range(steps):
        gpu.work(seconds / steps)
        out.write(json.dumps({"metrics": {"loss": 1 / (step + 1), "shown": driver.bytes_of(os.getpid()),
                                          "listed": len(driver.processes(0))}}) + "\n")
        out.flush()
        if json.loads(answers.readline()).get("decision") == "stop":
            break


if __name__ == "__main__":
    main()
