// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { exactJson } from "../../../web/core/api.js";

test("whole numbers that would be rounded come as texts", () => {
  const found = exactJson('{"a":9007199254740993,"b":-9223372036854775808,"c":9007199254740991}');
  assert.deepEqual(found, {
    a: "9007199254740993",
    b: "-9223372036854775808",
    c: 9007199254740991,
  });
});

test("texts and fractions stay what they are", () => {
  const text = '{"x \\"12345678901234567890":["12345678901234567890",0.12345678901234567,1e300]}';
  assert.deepEqual(exactJson(text), JSON.parse(text));
  assert.deepEqual(exactJson("[12345678901234567.5]"), [12345678901234567.5]);
  assert.throws(() => exactJson('{"a":12345678901234567890'));
});
