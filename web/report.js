/** The charts of a report: views over answers that lie in the page. */
import { h } from "./core/dom.js";
import { here, go, join } from "./core/route.js";
import { useStored } from "./core/stored.js";
import * as compare from "./view/compare.js";
import * as curves from "./view/curves.js";
import * as importance from "./view/importance.js";
import * as lineage from "./view/lineage.js";
import { historyPanel } from "./view/overview.js";
import * as parallel from "./view/parallel.js";
import * as pareto from "./view/pareto.js";
import * as rungs from "./view/rungs.js";
import * as slice from "./view/slice.js";
import * as timeline from "./view/timeline.js";

/** @typedef {{name: string, answers: import("./core/stored.js").Stored[]}} Experiment */

/** What may stand in a place of the report, by its `data-chart`. @type {Record<string, (host: HTMLElement, ctx: any) => void>} */
const charts = {
  history: (host, ctx) => historyPanel(ctx, host),
  compare: compare.mount,
  curves: curves.mount,
  importance: importance.mount,
  lineage: lineage.mount,
  parallel: parallel.mount,
  pareto: pareto.mount,
  rungs: rungs.mount,
  slice: slice.mount,
  timeline: timeline.mount,
};

/** @param {Experiment | undefined} experiment @param {AbortSignal} signal */
function contextOf(experiment, signal) {
  const name = experiment ? experiment.name : "";
  const own = experiment && experiment.answers.find((x) => x.part === "");
  return {
    route: { e: name },
    signal,
    // Nothing happens any more.
    line: { listen: () => {}, clock: () => NaN },
    base: ["experiments", name],
    about: own ? { ...own.answer, name } : null,
    renew: () => {},
  };
}

/** @param {Experiment[]} all */
function mountAll(all) {
  const { signal } = new AbortController();
  for (const place of document.querySelectorAll("[data-chart]")) {
    const { chart, experiment } = /** @type {HTMLElement} */ (place).dataset;
    const mount = charts[chart || ""];
    if (!mount) continue;
    const host = h("div.view", null);
    place.appendChild(host);
    mount(host, contextOf(all[Number(experiment)], signal));
  }
}

/** Paper is light, and as wide as it is. */
function heedPrinter() {
  const root = document.documentElement;
  const redraw = () => dispatchEvent(new Event("drawnow"));
  addEventListener("beforeprint", () => {
    root.dataset.theme = "light";
    root.classList.add("printing");
    redraw();
  });
  addEventListener("afterprint", () => {
    delete root.dataset.theme;
    root.classList.remove("printing");
    redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
    dispatchEvent(new Event("themechange")),
  );
}

const text = /** @type {HTMLElement} */ (document.getElementById("answers")).textContent || "[]";
const experiments = /** @type {Experiment[]} */ (JSON.parse(text));
useStored(new Map(experiments.map((x) => [x.name, x.answers])));
if (experiments.length > 1)
  go({ ...here(), c: join(experiments.map((x) => x.name)) }, { quiet: true });
heedPrinter();
mountAll(experiments);
