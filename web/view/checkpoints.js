/** Checkpoints of all trials, to take away. */
import { address, get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { bytes, count, duration, plain } from "../core/format.js";
import { pages } from "../core/pages.js";
import { panel, table, trialLink } from "../core/parts.js";

/** @param {any} ctx @param {any} c */
function row(ctx, c) {
  const isThere =
    c.state === "good" &&
    c.checkpoint !== null &&
    !/^(executor|memory):/.test(String(c.location || ""));
  const to = isThere
    ? h(
        "a",
        {
          href: address([
            ...ctx.base,
            "trials",
            String(c.trial),
            "checkpoints",
            String(c.checkpoint),
          ]),
          download: "",
          "aria-label": "download checkpoint " + c.checkpoint,
        },
        "download",
      )
    : "";
  return [
    plain(c.checkpoint === null ? "–" : c.checkpoint, 20),
    trialLink(ctx, c.trial),
    count(c.training_iteration),
    bytes(c.bytes),
    plain(c.state, 20),
    duration(c.t),
    plain(c.detail || "", 120),
    to,
  ];
}

const heads = ["Number#", "Trial", "Iteration#", "Size#", "State", "Time#", "", ""];

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const { node, body } = panel("Checkpoints");
  host.appendChild(node);
  pages(ctx, body, {
    every: 3000,
    fetch: (cursor) => get([...ctx.base, "checkpoints"], { limit: 100, cursor }, ctx.signal),
    empty: (data) => (data.checkpoints.length === 0 ? "No checkpoint was saved." : null),
    show: (data, place) => {
      const rows = data.checkpoints.map((/** @type {any} */ c) => row(ctx, c));
      fill(place, table(heads, rows, "Checkpoints"));
    },
  });
}
