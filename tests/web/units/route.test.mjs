// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { format, join, parse, split } from "../../../web/core/route.js";
import { address } from "../../../web/core/api.js";

test("an address and its parts are the same", () => {
  const route = { view: "trials", e: "a b&c=<d>#%", filter: "param:lr < 0.01" };
  assert.deepEqual(parse(format(route)), route);
  assert.equal(format({ view: "", e: null, x: undefined, y: false }), "?");
});

test("strange keys and endless values are left out", () => {
  assert.deepEqual(parse("?__proto__=1&A=2&toolongakeyforanyoneatall=3&e=" + "x".repeat(5000) + "&view=a&view=b"), { view: "a" });
  assert.equal(Object.getPrototypeOf(parse("?__proto__=x")), Object.prototype);
});

test("lists survive names with commas and backslashes", () => {
  for (const names of [[], ["a"], ["a,b", "c\\", "d"], ["\\,", ",,"], ["a\nb", "c"]]) assert.deepEqual(split(join(names)), names);
  assert.deepEqual(split(undefined), []);
});

test("a request stays below its own resource", () => {
  assert.equal(address(["experiments", "a/../b", "trials"], { limit: 5, sort: "", cursor: null }), "api/v1/experiments/a%2F..%2Fb/trials?limit=5");
  assert.equal(address(["experiments", "?#"]), "api/v1/experiments/%3F%23");
});
