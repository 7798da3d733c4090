// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import test from "node:test";

import { get } from "../../../web/core/api.js";
import { adjust, go, here } from "../../../web/core/route.js";
import { isStored, storedAnswer, useStored } from "../../../web/core/stored.js";

test("a page asks its gateway until it is given answers", () => {
  assert.equal(isStored(), false);
  assert.equal(storedAnswer(["experiments", "a"], {}), undefined);
});

test("answers are those of the experiment, the part, and the query", async () => {
  useStored(
    new Map([
      [
        "a/b",
        [
          { part: "history", query: { metric: "loss" }, answer: 1 },
          { part: "history", query: {}, answer: 2 },
          { part: "", query: {}, answer: 3 },
        ],
      ],
    ]),
  );
  const base = ["experiments", "a/b"];

  assert.equal(await get([...base, "history"], { metric: "loss", points: 1000 }), 1);
  assert.equal(await get([...base, "history"], { metric: "accuracy" }), 2);
  assert.equal(await get([...base, "history"]), 2);
  assert.equal(await get(base), 3);
  await assert.rejects(get([...base, "curves"]), { status: 404, code: "not_stored" });
  await assert.rejects(get(["experiments", "c"]), { status: 404 });
});

test("a report has a route of its own, and goes nowhere", () => {
  adjust({ log: "1" });
  assert.deepEqual(here(), { log: "1" });
  go({ e: "a", view: "trial", t: 3 });
  assert.deepEqual(here(), { log: "1" });
});
