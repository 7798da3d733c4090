// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import * as f from "../../../web/core/format.js";

test("numbers come as numbers and as texts", () => {
  assert.equal(f.number(1.5), 1.5);
  assert.equal(f.number("-inf"), -Infinity);
  assert.equal(f.number("18446744073709551615"), 18446744073709551615);
  for (const x of ["nan", "", "0x10", " 1", "1;", null, undefined, {}, [], true])
    assert.ok(Number.isNaN(f.number(x)));
});

test("figures are short and keep their size", () => {
  assert.equal(f.figure("-9007199254740993"), "−9007199254740993");
  assert.equal(f.figure(0.123456789), "0.12346");
  assert.equal(f.figure(1e-7), "1e−7");
  assert.equal(f.figure(-2), "−2");
  assert.equal(f.figure(1234567), "1\u202f234\u202f567");
  assert.equal(f.figure(0), "0");
  assert.equal(f.figure(100), "100");
  assert.equal(f.figure(0.5000001), "0.5");
  assert.equal(f.figure("inf"), "∞");
  assert.equal(f.figure("nan"), "nan");
  assert.equal(f.figure(null), "–");
});

test("durations name two units", () => {
  assert.equal(f.duration(0), "0 s");
  assert.equal(f.duration(0.0123), "12 ms");
  assert.equal(f.duration(59.94), "59.9 s");
  assert.equal(f.duration(59.99), "1 min 00 s");
  assert.equal(f.duration(3599.9), "1 h 00 min");
  assert.equal(f.duration(200000), "2 d 7 h");
  assert.equal(f.duration("nan"), "–");
  assert.equal(f.shortDuration(90), "1 min 30 s");
  assert.equal(f.shortDuration(0), "0");
});

test("a clock's ticks are round", () => {
  assert.deepEqual(f.timeTicks([0, 60], 4), [0, 15, 30, 45, 60]);
  assert.deepEqual(f.timeTicks([5, 5], 4), [5]);
  assert.ok(f.timeTicks([0, 1e9], 5).length < 12);
  assert.ok(f.timeTicks([0, 3e-5], 5).length < 12);
});

test("hostile texts lose their controls", () => {
  assert.equal(f.plain("a\u001b[31mb\u202ec\nd"), "a\ufffd[31mb\ufffdc d");
  assert.equal(f.plainLines("a\r\nb\u0007"), "a\nb\ufffd");
  assert.equal(f.plain("exited with status 1 \r\n\n  Traceback"), "exited with status 1 Traceback");
  assert.equal(f.plainLines("a\nbcd", 3), "a\nb…");
  assert.equal(f.plain("x".repeat(10), 4), "xxxx…");
  assert.equal(f.plain({ a: "\u0000" }), '{"a":"\\u0000"}');
});

test("sizes, trials, dates", () => {
  assert.equal(f.bytes(1023), "1023 B");
  assert.equal(f.bytes(1536), "1.5 KiB");
  assert.equal(f.trialName(42), "00042");
  assert.equal(f.trialName("../x"), "../x");
  assert.equal(f.date("no"), "–");
  assert.equal(f.date(1e300), "–");
});

test("a member is found by its name and by its path", () => {
  assert.equal(f.member({ a: { b: { c: 1 } } }, "a/b/c"), 1);
  assert.equal(f.member({ "a/b": 2, a: { b: 3 } }, "a/b"), 2);
  for (const name of ["toString", "__proto__", "a/toString", "x", "a/", "/"])
    assert.equal(f.member({ a: {} }, name), undefined);
  assert.equal(f.member(null, "a"), undefined);
});

test("resources are pairs", () => {
  assert.deepEqual(f.resourcePairs({ cpu: 4, gpu: 0, memory: 1024, custom: { tokens: 2 } }), [
    ["cpu", 4],
    ["memory", 1024],
    ["tokens", 2],
  ]);
  assert.deepEqual(f.resourcePairs(null), []);
});

test("a configuration is shown by the names of the space", () => {
  const config = { opt: { lr: 1 }, model: { depth: 3 }, "a.b": 2, other: { x: 1 } };
  const known = ["opt.lr", "opt.momentum", "model", "a.b"];
  assert.deepEqual(f.parameterNames(config, known), ["opt.lr", "model", "a.b", "other"]);
  assert.equal(f.parameterOf(config, "opt.lr"), 1);
  assert.equal(f.parameterOf(config, "a.b"), 2);
  assert.equal(f.parameterOf(config, "opt.momentum"), undefined);
});
