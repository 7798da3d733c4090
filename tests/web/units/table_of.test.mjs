// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { brushesOf, brushText, isWhole, ranksOf, tableOf, within } from "../../../web/core/table_of.js";

const answer = {
  axes: [
    { name: "lr", kind: "real", log: true, low: 1e-4, high: 1 },
    { name: "kind;:", kind: "choice", values: ["a", "b"] },
    { name: "free", kind: "custom" },
  ],
  lines: [
    [0, "TERMINATED", 1e-2, "a", 5, 0.5],
    [1, "RUNNING", 1, "b", null, "nan"],
    [2, "TERMINATED", 1e-4, "zz", 10, 0.1],
  ],
};

test("between whole numbers there is nothing where a domain says so", () => {
  const axis = { name: "x", log: false, low: 16, high: 64, values: null };
  for (const kind of ["int", "choice", "grid", "constant"]) assert.ok(isWhole({ ...axis, kind }));
  for (const kind of ["float", "normal"]) assert.ok(!isWhole({ ...axis, kind }));
  assert.ok(!isWhole({ ...axis, kind: "choice", low: 0.5 }));
});

test("an answer becomes rows with places", () => {
  const { axes, rows } = tableOf(answer, "loss");
  assert.deepEqual(
    axes.map((x) => x.name),
    ["lr", "kind;:", "free", "loss"],
  );
  assert.ok(Math.abs(rows[0].places[0] - 0.5) < 1e-12);
  assert.equal(rows[2].places[2], 1);
  assert.ok(
    Number.isNaN(rows[1].places[2]) &&
      Number.isNaN(rows[1].places[3]) &&
      Number.isNaN(rows[2].places[1]),
  );
});

test("brushes leave what lies within all of them", () => {
  const { rows } = tableOf(answer, "loss");
  assert.deepEqual(within(rows, [null, null, null, null]), [0, 1, 2]);
  assert.deepEqual(within(rows, [[0.6, 0.4], null, null, null]), [0]);
  assert.deepEqual(within(rows, [null, [0.9, 1], null, null]), [1]);
  assert.deepEqual(within(rows, [null, null, [0, 1], [0, 1]]), [0, 2]);
});

test("brushes survive the address, and a strange address is heeded no further", () => {
  const { axes } = tableOf(answer, "loss");
  const brushes = [[0.25, 0.5], null, null, [0, 1]];
  assert.deepEqual(brushesOf(brushText(brushes, axes), axes), brushes);
  assert.deepEqual(brushesOf("lr:2:3;x:0:1;kind:;;lr", axes), [null, null, null, null]);
  const odd = [null, [0, 0.5], null, null];
  assert.deepEqual(brushesOf(brushText(odd, axes), axes), odd);
});

test("infinite values are the best or the worst, and none is ranked last", () => {
  assert.deepEqual([...ranksOf([3, -Infinity, NaN, 1, Infinity], false)], [1 / 3, 1, 0, 2 / 3, 0]);
  assert.deepEqual([...ranksOf([3, -Infinity, NaN, 1, Infinity], true)], [2 / 3, 0, 0, 1 / 3, 1]);
  assert.deepEqual([...ranksOf([7], true)], [1]);
});
