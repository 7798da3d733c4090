/** Checkpoints of all trials, to take away. */
import { address, get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { bytes, count, duration, plain } from "../core/format.js";
import { follow, panel, table, trialLink } from "../core/parts.js";

/** @param {any} ctx @param {any} c */
function row(ctx, c) {
  const isThere = c.state === "good" && c.checkpoint !== null && !/^(executor|memory):/.test(String(c.location || ""));
  const to = isThere ? h("a", { href: address([...ctx.base, "trials", String(c.trial), "checkpoints", String(c.checkpoint)]), download: "", "aria-label": "download checkpoint " + c.checkpoint }, "download") : "";
  return [plain(c.checkpoint === null ? "–" : c.checkpoint, 20), trialLink(ctx, c.trial), count(c.training_iteration), bytes(c.bytes), plain(c.state, 20), duration(c.t), plain(c.detail || "", 120), to];
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const { node, body } = panel("Checkpoints");
  host.appendChild(node);
  /** @type {any[]} */
  let cursors = [""];
  const more = h("button", { type: "button" }, "Next page");
  const first = h("button", { type: "button" }, "First page");
  node.append(h("div.buttons", null, first, more));
  const reload = follow(ctx, body, {
    every: 3000,
    fetch: () => get([...ctx.base, "checkpoints"], { limit: 100, cursor: cursors[cursors.length - 1] }, ctx.signal),
    empty: (data) => (data.checkpoints.length === 0 ? "No checkpoint was saved." : null),
    show: (data, place) => {
      fill(place, table(["Number#", "Trial", "Iteration#", "Size#", "State", "Time#", "", ""], data.checkpoints.map((/** @type {any} */ c) => row(ctx, c)), "Checkpoints"));
      more.hidden = !data.next_cursor;
      first.hidden = cursors.length < 2;
      more.onclick = () => {
        cursors.push(data.next_cursor);
        reload();
      };
    },
  });
  more.hidden = first.hidden = true;
  first.onclick = () => {
    cursors = [""];
    reload();
  };
}
