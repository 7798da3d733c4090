// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { Pager, windowOf } from "../../../web/core/pager.js";

/** A server of `total` numbers, and what it was asked. */
function server(total, size) {
  const asked = [];
  const fetch = async (cursor) => {
    asked.push(cursor);
    const from = Number(cursor || 0);
    const rows = Array.from({ length: Math.max(0, Math.min(size, total - from)) }, (_, i) => from + i);
    return { rows, next: from + size < total ? String(from + size) : null, total };
  };
  return { fetch, asked };
}

test("a far row is reached over the pages before it", async () => {
  const { fetch, asked } = server(1000, 100);
  const uut = new Pager(fetch, 100);
  await uut.need(730, 760);
  assert.equal(uut.row(735), 735);
  assert.equal(uut.total, 1000);
  assert.equal(asked.length, 8);
  await uut.need(700, 790);
  assert.equal(asked.length, 8);
});

test("pages that were dropped are fetched again with their cursor", async () => {
  const { fetch, asked } = server(1000, 10);
  const uut = new Pager(fetch, 10, 3);
  await uut.need(900, 905);
  assert.equal(uut.pages.size, 3);
  assert.equal(uut.row(5), undefined);
  const before = asked.length;
  await uut.need(0, 10);
  assert.equal(uut.row(5), 5);
  assert.equal(asked.length, before + 1);
});

test("a list that has become shorter ends where it ends", async () => {
  const { fetch } = server(25, 10);
  const uut = new Pager(fetch, 10);
  await uut.need(0, 10);
  await uut.need(90, 95);
  assert.equal(uut.row(24), 24);
  assert.equal(uut.row(25), undefined);
});

test("the same page is not asked for twice at once", async () => {
  const { fetch, asked } = server(100, 10);
  const uut = new Pager(fetch, 10);
  await Promise.all([uut.need(0, 10), uut.need(0, 10)]);
  assert.equal(asked.length, 1);
});

test("a fault is told and can be mended", async () => {
  let isBroken = true;
  const { fetch } = server(10, 10);
  const uut = new Pager((x) => (isBroken ? Promise.reject(new Error("no")) : fetch(x)), 10);
  await assert.rejects(uut.need(0, 10));
  isBroken = false;
  await uut.need(0, 10);
  assert.equal(uut.row(0), 0);
});

test("what is drawn covers what is seen and little more", () => {
  assert.deepEqual(windowOf(0, 300, 30, 100000, 2), [0, 12]);
  assert.deepEqual(windowOf(3000, 300, 30, 100000, 2), [98, 112]);
  assert.deepEqual(windowOf(1e9, 300, 30, 5, 2), [3, 5]);
  assert.deepEqual(windowOf(0, 300, 30, 0, 2), [0, 0]);
});
