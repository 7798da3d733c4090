// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { laterFailure } from "../../../web/core/parts.js";
import { runsText } from "../../../web/view/compare.js";
import { judgeText } from "../../../web/view/overview.js";
import { suggestionLines } from "../../../web/view/suggestion.js";
import { test } from "node:test";
import { Line, merge } from "../../../web/core/live.js";
import { toType, typed, verbsFor } from "../../../web/core/actions.js";
import { told } from "../../../web/view/importance.js";
import { endText, ranks } from "../../../web/view/curves.js";
import { changes, schedule } from "../../../web/view/lineage.js";
import { columnsOf } from "../../../web/view/trial_columns.js";
import { emptyFrontText, nothingText } from "../../../web/view/pareto.js";
import { bracketName, jitter } from "../../../web/view/rungs.js";
import { layout } from "../../../web/view/timeline.js";
import { decisionText, whyText } from "../../../web/view/why.js";

test("changes between two frames are told as one", () => {
  const first = merge(null, { last_seq: 1, changed: [1, 2], live: true });
  assert.deepEqual(merge(first, { last_seq: 2, changed: [2, 3] }), {
    last_seq: 2,
    changed: [1, 2, 3],
    live: true,
  });
  assert.deepEqual(merge(null, { changed: "no" }).changed, []);
});

test("a record that took another's place is told of once, and is no change", () => {
  const asked = [];
  globalThis.document = { hidden: false, addEventListener: () => {} };
  globalThis.requestAnimationFrame = () => 0;
  globalThis.EventSource = class {
    constructor(/** @type {string} */ address) {
      asked.push(address);
    }
    addEventListener() {}
    close() {}
  };
  let others = 0;
  const line = new Line(
    () => {},
    () => others++,
  );
  line.open("x", 9, true, 100);
  assert.match(asked[0], /since=9%40100$/);
  line.hear('{"last_seq":11,"created_ms":100,"changed":[]}');
  assert.deepEqual([others, line.place("x")], [0, 11]);
  line.hear('{"last_seq":2,"created_ms":200,"changed":[1]}');
  assert.deepEqual([others, line.place("x")], [1, 11]);
  line.close();
  line.open("x", 3);
  assert.match(asked[1], /since=3$/);
  line.hear('{"last_seq":4,"created_ms":200,"changed":[]}');
  assert.deepEqual([others, line.record], [1, 200]);
});

test("what passed a rung is told with its value and the cutoff", () => {
  const reason = { rule: "asha", rung: 12, value: 0.2276, cutoff: 0.38138 };
  const passed = { action: "annotate", text: "asha", reason };
  assert.equal(decisionText(passed), "goes on beyond rung 12 with 0.2276; its cutoff is 0.38138");
  const first = { ...passed, reason: { ...reason, cutoff: undefined } };
  assert.equal(decisionText(first), "goes on beyond rung 12 with 0.2276, with no cutoff yet");
  assert.equal(decisionText({ ...passed, action: "stop", text: "too slow" }), "too slow");
});

test("a best trial that failed later says so", () => {
  assert.equal(laterFailure({ trial: 3, status: "ERRORED" }), " (which failed later)");
  assert.equal(laterFailure({ trial: 3, status: "TERMINATED" }), "");
  assert.equal(laterFailure({ trial: 3 }) + laterFailure(null), "");
});

test("a history of configurations that run several times says what its line is", () => {
  assert.equal(
    judgeText({ judge: "lower_bound" }),
    "The line is the best lower bound of a configuration's runs; each dot is a single run.",
  );
  assert.match(judgeText({ judge: "lower_bound", mode: "min" }), /best upper bound/);
  assert.equal(judgeText({ judge: null }) + judgeText({}), "");
  assert.equal(judgeText({ judge: null, at_best_of: "acc" }), "Each trial has its value at its best acc.");
});

test("a bracket is named where there are several, with its band where these are", () => {
  const of = (band, bracket) => ({ band, bracket });
  assert.equal(bracketName(of(null, 0), [of(null, 0)]), "Rungs");
  assert.equal(bracketName(of(0, 1), [of(0, 0), of(0, 1)]), "Bracket 1");
  assert.equal(bracketName(of(1, 2), [of(0, 2), of(1, 2)]), "Bracket 2 of band 1");
});

test("the best curve has rank 1", () => {
  const of = (...ys) => ({ points: ys.map((y, i) => [i, y]) });
  assert.deepEqual(ranks([of(3, 1), of(2), of()], "min"), [1, 0.5, 0]);
  assert.deepEqual(ranks([of(3, 1), of(2), of()], "max"), [1, 0.5, 0]);
});

test("a curve tells who ended it", () => {
  const curve = { stopped: null, cutOff: null };
  assert.equal(endText(curve), "");
  assert.equal(endText({ ...curve, stopped: 3 }), ", stopped by the scheduler at 3");
  assert.equal(endText({ ...curve, cutOff: 4 }), ", ended from outside at 4");
});

test("a parameter's schedule steps at each exploit", () => {
  const data = {
    nodes: [{ trial: 1, started: 0, config: { lr: 1 } }],
    exploits: [
      { t: 5, trial: 1, after: { lr: 2 } },
      { t: 6, trial: 2, after: { lr: 9 } },
    ],
  };
  assert.deepEqual(schedule(data, "1", "lr", 10), [
    [0, 1],
    [5, 2],
    [10, 2],
  ]);
});

test("attempts lie in lanes below their nodes", () => {
  const data = {
    nodes: [{ node: "b" }],
    attempts: [
      { node: "a", started: 0, ended: 2 },
      { node: "a", started: 1, ended: null },
    ],
  };
  const { bars, groups } = layout(data, 4);
  assert.deepEqual(
    groups.map((x) => x.name),
    ["a", "b"],
  );
  assert.notEqual(bars[0].row, bars[1].row);
  assert.equal(bars[1].to, 4);
});

test("marks keep their places", () => {
  assert.equal(jitter(7), jitter(7));
  for (let t = 0; t < 1000; t += 1) assert.ok(Math.abs(jitter(t)) <= 0.5);
});

test("what can be done follows the status", () => {
  assert.deepEqual(verbsFor("RUNNING"), ["pause", "stop"]);
  assert.deepEqual(verbsFor("PAUSED"), ["unpause", "stop"]);
  assert.deepEqual(verbsFor("ERRORED"), ["retry"]);
  assert.deepEqual(verbsFor("TERMINATED"), []);
});

test("typed values are JSON where they are", () => {
  assert.equal(typed("1e-3"), 0.001);
  assert.equal(typed("adam"), "adam");
  assert.deepEqual(typed("[1]"), [1]);
});

test("what a field begins with is read as the same value", () => {
  assert.equal(toType("adam"), "adam");
  for (const x of ["adam", "1", "true", "", '"', 1, true, null, { kind: "a", depth: 3 }, ["1"]])
    assert.deepEqual(typed(toType(x)), x);
});

test("an exploit's changes are told by parameters", () => {
  const before = { opt: { lr: 1, kind: "a" }, model: { kind: "a", depth: 3 } };
  const after = { opt: { lr: 2, kind: "a" }, model: { kind: "b", depth: 3 } };
  assert.equal(
    changes(before, after, ["opt.lr", "opt.kind", "model"]),
    'opt.lr 1 → 2, model {"kind":"a","depth":3} → {"kind":"b","depth":3}',
  );
});

test("a column of a nested parameter has its value", () => {
  const about = { parameters: [{ name: "opt.lr" }, { name: "model" }] };
  const row = { config: { opt: { lr: 0.5 }, model: { depth: 3 } } };
  const cells = columnsOf({ about })
    .filter((x) => x.name.startsWith("param:"))
    .map((x) => x.cell(row));
  assert.deepEqual(cells, ["0.5", '{"depth":3}']);
});

test("a trial's story is one sentence", () => {
  assert.equal(
    whyText({ status: "TERMINATED", reason: "below the cutoff" }),
    "It ended: below the cutoff",
  );
  assert.equal(whyText({ status: "PENDING", reason: "" }), "It waits for its turn.");
});

test("importance tells how sure it is", () => {
  assert.equal(told({ more_than_chance: false, from: null, to: null }), "no more than chance");
  assert.equal(told({ more_than_chance: true, from: 0.1, to: 0.5 }), "the best have 0.1 to 0.5");
  assert.equal(told({ more_than_chance: true, from: "adam", to: "adam" }), "the best have adam");
  const unknown = { importance: null, more_than_chance: null, from: null, to: null };
  assert.equal(told(unknown), "too few configurations have it");
});

test("all runs of a configuration are told in words", () => {
  const runs = { mean: 0.5, error: 0.125, count: 3, wanted: 3, confirmed: true };
  assert.equal(runsText({ runs }), "mean 0.5 ± 0.13 of 3, confirmed");
  assert.equal(runsText({ runs: { mean: 2, error: null, count: 1, wanted: 4 } }), "mean 2 of 1 of 4");
  const judged = { ...runs, judge: "lower_bound", value: 0.25 };
  assert.equal(
    runsText({ runs: judged }),
    "judged by the lower bound 0.25 of 3, confirmed; mean 0.5 ± 0.13",
  );
  assert.equal(
    runsText({ runs: { ...judged, value: 1 } }),
    "judged by the upper bound 1 of 3, confirmed; mean 0.5 ± 0.13",
  );
  assert.equal(runsText({ runs: { ...judged, value: null } }), "mean 0.5 ± 0.13 of 3, confirmed");
  assert.equal(runsText({ runs: null }), "");
  assert.equal(runsText(null), "");
});

test("a suggestion is told in words", () => {
  const predicted = { metric: "loss", mean: 1, deviation: 0.5, best: 2, expected_improvement: 0.25 };
  assert.deepEqual(suggestionLines({ by: "a model", results: 12, predicted, same: true }), [
    ["By", "a model"],
    ["Learnt from", "12 results"],
    ["Predicted", "loss 1 ± 0.5"],
    ["Expected improvement", "0.25 on 2"],
  ]);
  assert.equal(suggestionLines({ unknown: "of another program" })[0][0], "Not explained");
});

test("a front is empty where all trials miss a constraint, not for want of objectives", () => {
  const objectives = [
    { metric: "acc", mode: "max" },
    { metric: "size", mode: "min" },
  ];
  const missing = { objectives, points: [[0, 0.6, 4, false, false]] };
  assert.equal(nothingText(missing), null);
  assert.equal(emptyFrontText(missing), "No trial keeps all constraints yet: the front is empty.");
  assert.equal(emptyFrontText({ objectives, points: [[0, 0.6, 1, true, true]] }), "");
  for (const points of [[], [[0, 0.6, null, false, true]]])
    assert.equal(nothingText({ objectives, points }), "No trial has all objectives yet.");
  assert.match(nothingText({ objectives: [objectives[0]], points: [] }), /one objective/);
});
