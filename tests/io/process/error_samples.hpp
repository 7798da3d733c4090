/// What programs of several languages write as they fail, and the line that names the error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tune::support {

struct error_sample {
  std::string name;
  std::string output;
  std::string telling;
};

/// With traces long enough to be cut.
inline std::vector<error_sample> error_samples() {
  std::string frames;
  for (int i = 0; i < 9; ++i)
    frames += "    at step (/w/train.js:" + std::to_string(20 + i) + ":5)\n";
  std::string java_frames;
  for (int i = 0; i < 9; ++i)
    java_frames += "\tat a.Net.step(Net.java:" + std::to_string(20 + i) + ")\n";
  std::string calls;
  for (int i = 0; i < 9; ++i)
    calls += "\tmain::f(1) called at train.pl line " + std::to_string(20 + i) + "\n";
  return {
      {"Node.js",
       "/w/train.js:2\n  throw new RangeError(\"rate\");\n  ^\n\nRangeError: learning rate 3\n"
           + frames + "\nNode.js v20.20.2\n",
       "RangeError: learning rate 3"},
      {"Node.js with properties",
       "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\n"
       "Error: Cannot find module './nix'\nRequire stack:\n- /w/train.js\n"
           + frames
           + "  code: 'MODULE_NOT_FOUND',\n  requireStack: [ '/w/train.js' ]\n}\n\n"
             "Node.js v20.20.2\n",
       "Error: Cannot find module './nix'"},
      {"Node.js with a code",
       "node:assert:90\n  throw new AssertionError(obj);\n  ^\n\n"
       "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n1 !== 2\n\n"
           + frames
           + "  generatedMessage: true,\n  operator: 'strictEqual'\n}\n\n"
             "Node.js v20.20.2\n",
       "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:"},
      {"Node.js, a text thrown",
       "\n/w/train.js:3\nif (x) throw \"no data\";\n       ^\nno data\n"
       "(Use `node --trace-uncaught ...` to show where the exception was thrown)\n\n"
       "Node.js v20.20.2\n",
       "no data"},
      {"Node.js, a promise",
       "node:internal/process/promises:389\n      new UnhandledPromiseRejection(reason);\n      "
       "^\n\n"
       "UnhandledPromiseRejection: This error came with the reason \"no data\".\n"
           + frames + "  code: 'ERR_UNHANDLED_REJECTION'\n}\n\nNode.js v20.20.2\n",
       "UnhandledPromiseRejection: This error came with the reason \"no data\"."},
      {"Deno",
       "error: Uncaught (in promise) Error: no data\n    throw new Error('x');\n          ^\n"
       "    at file:///a.ts:1:7\n",
       "error: Uncaught (in promise) Error: no data"},
      {"Rust",
       "\nthread 'main' (19260) panicked at src/main.rs:1:63:\nlearning rate too high\n"
       "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
       "thread 'main' (19260) panicked at src/main.rs:1:63:"},
      {"Rust with a trace",
       "epoch 1\nepoch 2\nepoch 3\nepoch 4\nthread 'main' panicked at src/main.rs:1:63:\n"
       "learning rate too high\nstack backtrace:\n   0: rust_begin_unwind\n"
       "             at /rustc/5980/library/std/src/panicking.rs:689:5\n   1: train::main\n"
       "             at ./src/main.rs:1:63\nnote: Some details are omitted, run with "
       "`RUST_BACKTRACE=full` for a verbose backtrace.\n",
       "thread 'main' panicked at src/main.rs:1:63:"},
      {"Rust, a thread",
       "\nthread '<unnamed>' panicked at src/main.rs:2:36:\nworker failed\n"
       "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\n"
       "thread 'main' panicked at src/main.rs:2:69:\n"
       "called `Result::unwrap()` on an `Err` value: Any { .. }\n",
       "thread '<unnamed>' panicked at src/main.rs:2:36:"},
      {"Go",
       "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.f(...)\n"
       "\t/w/main.go:3\nmain.main()\n\t/w/main.go:4 +0x4c\nexit status 2\n",
       "panic: assignment to entry in nil map"},
      {"Go behind a log",
       "epoch 1\nepoch 2\nepoch 3\nepoch 4\npanic: runtime error: index out of range\n\n"
       "goroutine 1 [running]:\nmain.f(...)\n\t/w/main.go:3\nmain.g(...)\n\t/w/main.go:9\n"
       "main.main()\n\t/w/main.go:4 +0x4c\n",
       "panic: runtime error: index out of range"},
      {"Go, a log that ends it", "2026/11/27 12:00:00 no data\nexit status 1\n",
       "2026/11/27 12:00:00 no data"},
      {"Java",
       "Exception in thread \"main\" java.lang.RuntimeException: wrapper\n\tat J.main(J.java:1)\n"
       "Caused by: java.lang.IllegalStateException: no data\n"
           + java_frames + "\t... 3 more\n",
       "Caused by: java.lang.IllegalStateException: no data"},
      {"Julia",
       "ERROR: LoadError: singular matrix\nStacktrace:\n [1] error(s::String)\n"
       "   @ Base ./error.jl:35\n [2] top-level scope\n   @ ~/x.jl:1\n"
       "in expression starting at /w/x.jl:1\n",
       "ERROR: LoadError: singular matrix"},
      {"Fortran",
       "At line 5 of file x.f90\nFortran runtime error: End of file\n\n"
       "Error termination. Backtrace:\n#0  0x7f11 in ???\n#1  0x7f12 in ???\n#2  0x7f13 in ???\n"
       "#3  0x7f14 in ???\n#4  0x7f15 in ???\n#5  0x7f16 in ???\n#6  0x7f17 in ???\n",
       "Fortran runtime error: End of file"},
      {"Lua",
       "lua: x.lua:1: no data\nstack traceback:\n\t[C]: in function 'error'\n"
       "\tx.lua:1: in main chunk\n\t[C]: in ?\n",
       "lua: x.lua:1: no data"},
      {"Octave", "error: out of bound\nerror: called from\n    f at line 2 column 3\n",
       "error: out of bound"},
      {"R, a long call",
       "Error in solve.default(a) : \n  Lapack routine dgesv: singular\nCalls: solve\n"
       "Execution halted\n",
       "Error in solve.default(a) : "},
      {"Ruby", "x.rb:1:in `foo': no data (RuntimeError)\n\tfrom x.rb:3:in `<main>'\n",
       "x.rb:1:in `foo': no data (RuntimeError)"},
      {"Perl", "one\ntwo\nthree\nfour\nmatrix is singular at train.pl line 1.\n" + calls,
       "matrix is singular at train.pl line 1."},
      {"Haskell",
       "train: no data\nCallStack (from HasCallStack):\n  error, called at a.hs:1:8 in main:Main\n",
       "train: no data"},
      {"AddressSanitizer",
       "=====\n==19804==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602\n"
       "READ of size 4 at 0x602 thread T0\n    #0 0x563 in main /w/t.cpp:3\n\n"
       "SUMMARY: AddressSanitizer: heap-buffer-overflow /w/t.cpp:3 in main\n"
       "Shadow bytes around the buggy address:\n  0x0c04: 00 00\n=>0x0c05: fa fa\n"
       "  0x0c06: fa fa\nShadow byte legend (one shadow byte represents 8 application bytes):\n"
       "  Addressable:           00\n  Heap left redzone:       fa\n==19804==ABORTING\n",
       "SUMMARY: AddressSanitizer: heap-buffer-overflow /w/t.cpp:3 in main"},
      {"C++ below sh",
       "terminate called after throwing an instance of 'std::runtime_error'\n"
       "  what():  first line\nof two\nAborted\n",
       "  what():  first line"},
      {"C++ below bash",
       "train: t.cpp:3: int main(): Assertion `x > 0' failed.\n"
       "t.sh: line 1: 19652 Aborted                 ./t 1\n",
       "train: t.cpp:3: int main(): Assertion `x > 0' failed."},
      {"a shell", "epoch 1\nt.sh: line 1: 19652 Segmentation fault      ./t 1\n",
       "t.sh: line 1: 19652 Segmentation fault      ./t 1"},
      {"Python",
       "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\n"
       "KeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\n"
       "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    g()\n"
       "Overflow: a step\nof two lines\n",
       "Overflow: a step"},
      {"Python, another ignored",
       "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\n"
       "ValueError: no data\nException ignored in: <function X.__del__ at 0x7f>\n"
       "Traceback (most recent call last):\n  File \"a.py\", line 9, in __del__\n    h()\n"
       "    ^^^\n  File \"a.py\", line 5, in h\n    g()\nAttributeError: no attribute 'h'\n",
       "ValueError: no data"},
      {"a log with an error that was survived",
       "ValueError: sample 3 is bad\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"
       "no such file: data.csv\n",
       "no such file: data.csv"},
  };
}

} // namespace tune::support
