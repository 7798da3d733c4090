/** What scheduler and stop conditions decided, and why: the latest first. */
import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { count, duration, plain } from "../core/format.js";
import { choice, follow, panel, table, trialLink } from "../core/parts.js";
import { adjust, here } from "../core/route.js";

const actions = ["", "stop", "pause", "exploit", "reconfigure", "set_resources", "allow", "save", "save_failed", "annotate"];
/** Rows that are kept on the page. */
const most = 1000;

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  /** @type {any[]} */
  let rows = [];
  /** @type {number | null} */
  let seq = null;
  const fetch = async () => {
    const { trial, action } = here();
    if (seq === null) seq = 0;
    for (;;) {
      const found = await get([...ctx.base, "decisions"], { since_seq: seq, trial, action, limit: 1000 }, ctx.signal);
      rows = [...rows, ...found.decisions].slice(-most);
      if (found.next_seq !== null && found.next_seq !== undefined) seq = found.next_seq;
      if (found.decisions.length < 1000) return rows;
    }
  };
  const again = () => {
    rows = [];
    seq = null;
    reload();
  };
  const trial = h("input.mono", { type: "search", "data-filter": "", size: "8", value: here().trial || "", "aria-label": "Trial", autocomplete: "off" });
  trial.addEventListener("change", () => {
    adjust({ trial: trial.value.trim() });
    again();
  });
  const tools = [
    h("label.field", null, h("span", null, "Trial"), trial),
    choice("What", here().action || "", actions.map((x) => [x, x ? x.replace(/_/g, " ") : "all"]), (action) => {
      adjust({ action });
      again();
    }),
  ];
  const { node, body } = panel("Decisions", tools, "Each stop, pause and exploit with the facts behind it.");
  host.appendChild(node);
  const reload = follow(ctx, body, {
    fetch,
    empty: (found) => (found.length === 0 ? "Nothing was decided yet: all trials went on." : null),
    show: (found, place) => {
      const row = (/** @type {any} */ d) => [duration(d.t), trialLink(ctx, d.trial), count(d.training_iteration), h("span.verb", { "data-verb": d.action }, plain(String(d.action).replace(/_/g, " "), 30)), plain(d.text || d.reason, 300)];
      fill(place, table(["Time#", "Trial", "Iteration#", "What", "Why"], found.slice(-300).reverse().map(row), "Decisions"), found.length > 300 ? h("p.quiet", null, "the latest 300") : null);
    },
  });
}
