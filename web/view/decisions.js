/** What scheduler and stop conditions decided, and why: the latest first. */
import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { count, duration, plain } from "../core/format.js";
import { choice, follow, panel, table, trialLink } from "../core/parts.js";
import { adjust, here } from "../core/route.js";
import { decisionText } from "./why.js";

const actions = [
  "",
  "stop",
  "pause",
  "exploit",
  "reconfigure",
  "set_resources",
  "allow",
  "save",
  "save_failed",
  "annotate",
];
/** Rows that are kept on the page. */
const most = 1000;
/** Rows that are shown. */
const shown = 300;

/** The latest decisions, fetched on from where the last fetch ended. */
class Latest {
  /** @param {any} ctx */
  constructor(ctx) {
    this.ctx = ctx;
    /** @type {any[]} */
    this.rows = [];
    /** @type {number | null} */
    this.seq = null;
  }

  restart() {
    this.rows = [];
    this.seq = null;
  }

  /** @param {number} since @param {number} limit */
  ask(since, limit) {
    const { trial, action } = here();
    const query = { since_seq: since, trial, action, limit };
    return get([...this.ctx.base, "decisions"], query, this.ctx.signal);
  }

  /** The list begins with the first, and the latest are wanted: how far back it is asked for. */
  async begin() {
    const last = Number(this.ctx.about.last_seq) || 0;
    for (let back = 20000; back < last && !here().trial; back *= 5) {
      const found = await this.ask(last - back, 100);
      if (found.decisions.length >= 100) return last - back;
    }
    return 0;
  }

  async fetch() {
    let seq = this.seq === null ? await this.begin() : this.seq;
    for (;;) {
      const found = await this.ask(seq, 1000);
      this.rows = [...this.rows, ...found.decisions].slice(-most);
      const isDone = !found.more || !(found.next_seq > seq);
      if (found.next_seq > seq) seq = found.next_seq;
      this.seq = seq;
      if (isDone) return this.rows;
    }
  }
}

/** @param {any} ctx @param {any} d */
const row = (ctx, d) => [
  d.t === null || d.t === undefined ? "" : duration(d.t),
  trialLink(ctx, d.trial),
  count(d.training_iteration),
  h("span.verb", { "data-verb": d.action }, plain(String(d.action).replace(/_/g, " "), 30)),
  decisionText(d),
];

const heads = ["After#", "Trial", "Iteration#", "What", "Why"];

/** @param {(changes: Record<string, string>) => void} set */
function tools(set) {
  const trial = h("input.mono", {
    type: "search",
    "data-filter": "",
    size: "8",
    value: here().trial || "",
    "aria-label": "Trial",
    autocomplete: "off",
  });
  trial.addEventListener("change", () => set({ trial: trial.value.trim() }));
  const names = actions.map((x) => [x, x ? x.replace(/_/g, " ") : "all"]);
  return [
    h("label.field", null, h("span", null, "Trial"), trial),
    choice("What", here().action || "", /** @type {any} */ (names), (action) => set({ action })),
  ];
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const latest = new Latest(ctx);
  const set = (/** @type {Record<string, string>} */ changes) => {
    adjust(changes);
    latest.restart();
    reload();
  };
  const note = "Each stop, pause and exploit with the facts behind it.";
  const { node, body } = panel("Decisions", tools(set), note);
  node.classList.add("decisions");
  host.appendChild(node);
  const reload = follow(ctx, body, {
    fetch: () => latest.fetch(),
    empty: (found) => (found.length === 0 ? "Nothing was decided yet: all trials went on." : null),
    show: (found, place) => {
      const rows = found
        .slice(-shown)
        .reverse()
        .map((/** @type {any} */ d) => row(ctx, d));
      const rest = found.length > shown ? h("p.quiet", null, "the latest " + shown) : null;
      fill(place, table(heads, rows, "Decisions"), rest);
    },
  });
}
