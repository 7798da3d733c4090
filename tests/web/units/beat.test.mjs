// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";

import { untilNext } from "../../../web/core/beat.js";

test("pages fetch at once in a beat in which they have not fetched", () => {
  assert.equal(untilNext(2000, Infinity, 9100), 0);
  assert.equal(untilNext(2000, 1101, 9100), 0);
});

test("pages that have fetched in a beat wait for the next, all for the same", () => {
  assert.equal(untilNext(2000, 100, 9100), 900);
  assert.equal(untilNext(2000, 700, 8700), 1300);
});

test("pages whose server tells no time keep a distance", () => {
  assert.equal(untilNext(2000, 500, NaN), 1500);
  assert.equal(untilNext(2000, 2500, NaN), 0);
});
