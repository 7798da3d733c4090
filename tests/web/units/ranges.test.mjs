// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bestSoFar,
  calmExtent,
  extent,
  grid,
  lanes,
  lasting,
  place,
  smooth,
} from "../../../web/chart/ranges.js";

test("an extent knows finite numbers only", () => {
  assert.deepEqual(extent([NaN, 3, -1, Infinity]), [-1, 3]);
  assert.deepEqual(extent([]), [0, 1]);
  assert.deepEqual(extent(new Array(200000).fill(2)), [2, 2]);
});

test("what was told again counts as it was told last", () => {
  const rows = [1, 2, 3, 2, 3, 4].map((iteration, at) => ({ iteration, at }));
  const kept = lasting(rows, (row) => row.iteration);
  assert.deepEqual(
    kept.map((row) => row.at),
    [0, 3, 4, 5],
  );
  assert.deepEqual(lasting([], Number), []);
});

test("an outlier does not flatten all others", () => {
  const values = Array.from({ length: 100 }, (_, i) => i / 100);
  assert.ok(calmExtent([...values, 1e9])[1] < 10);
  assert.deepEqual(calmExtent(values), [0, 0.99]);
  assert.deepEqual(calmExtent([1, 1, 1, 1, 1, 1, 1, 1, 9]), [1, 9]);
});

test("smoothing begins at the first value and skips what is none", () => {
  const points = [
    [0, 4],
    [1, NaN],
    [2, 0],
  ];
  assert.equal(smooth(points, 0), points);
  const made = smooth(points, 0.5);
  assert.equal(made[0][1], 4);
  assert.ok(Number.isNaN(made[1][1]));
  assert.ok(made[2][1] > 0 && made[2][1] < 4);
});

test("best so far steps down or up", () => {
  const points = [
    [1, 3],
    [2, 5],
    [3, NaN],
    [4, 1],
  ];
  assert.deepEqual(bestSoFar(points, "min"), [
    [1, 3],
    [4, 1],
  ]);
  assert.deepEqual(bestSoFar(points, "max"), [
    [1, 3],
    [2, 5],
  ]);
});

test("a grid is near its points' values there", () => {
  const cells = grid(
    [
      [0, 0, 1],
      [1, 1, 0],
    ],
    5,
  );
  assert.ok(cells[0] > 0.9 && cells[24] < 0.1);
  assert.ok(Math.abs(cells[12] - 0.5) < 1e-9);
  assert.ok(Number.isNaN(grid([], 2)[0]));
});

test("spans that overlap lie in lanes of their own", () => {
  assert.deepEqual(
    lanes([
      { from: 0, to: 2 },
      { from: 1, to: 3 },
      { from: 2, to: 4 },
    ]),
    [0, 1, 0],
  );
  assert.deepEqual(lanes([]), []);
});

test("a value has its place on its axis", () => {
  assert.equal(place({ low: 0, high: 4 }, 1), 0.25);
  assert.ok(Math.abs(place({ low: 1e-4, high: 1, log: true }, 1e-2) - 0.5) < 1e-12);
  assert.ok(Math.abs(place({ low: 1e-280, high: 1e120, log: true }, 1e-80) - 0.5) < 1e-12);
  assert.equal(place({ values: ["a", "b", "c"] }, "c"), 1);
  assert.equal(place({ values: [true, false] }, "false"), 1);
  assert.equal(place({ values: [1] }, 1), 0.5);
  assert.equal(place({ low: 3, high: 3 }, 3), 0.5);
  for (const x of [null, undefined, "nan", true, {}])
    assert.ok(Number.isNaN(place({ low: 0, high: 1 }, x)));
  assert.ok(Number.isNaN(place({ low: 1, high: 2, log: true }, -1)));
});
