/** All views, in the order of the list beside the page. */
import * as about from "./view/about.js";
import * as compare from "./view/compare.js";
import * as contour from "./view/contour.js";
import * as curves from "./view/curves.js";
import * as checkpoints from "./view/checkpoints.js";
import * as decisions from "./view/decisions.js";
import * as experiments from "./view/experiments.js";
import * as importance from "./view/importance.js";
import * as lineage from "./view/lineage.js";
import * as node from "./view/node.js";
import * as nodes from "./view/nodes.js";
import * as overview from "./view/overview.js";
import * as parallel from "./view/parallel.js";
import * as pareto from "./view/pareto.js";
import * as rungs from "./view/rungs.js";
import * as slice from "./view/slice.js";
import * as timeline from "./view/timeline.js";
import * as trial from "./view/trial.js";
import * as trials from "./view/trials.js";

/**
 * @typedef {object} View
 * @property {string} name in the address
 * @property {string} title
 * @property {string} [group] where it is listed; without, it is reached from others
 * @property {string} [under] the listed view that it belongs to
 * @property {boolean} [inside] of one experiment
 * @property {(host: HTMLElement, ctx: any) => void} mount
 */

/** @type {View[]} */
export const views = [
  { name: "experiments", title: "Experiments", group: "Storage", mount: experiments.mount },
  { name: "compare", title: "Compare", group: "Storage", mount: compare.mount },
  { name: "about", title: "About", group: "Storage", mount: about.mount },
  { name: "overview", title: "Overview", group: "Watch", inside: true, mount: overview.mount },
  { name: "trials", title: "Trials", group: "Watch", inside: true, mount: trials.mount },
  { name: "trial", title: "Trial", under: "trials", inside: true, mount: trial.mount },
  { name: "curves", title: "Curves", group: "Watch", inside: true, mount: curves.mount },
  { name: "decisions", title: "Decisions", group: "Watch", inside: true, mount: decisions.mount },
  { name: "rungs", title: "Rungs", group: "Understand", inside: true, mount: rungs.mount },
  { name: "importance", title: "Importance", group: "Understand", inside: true, mount: importance.mount },
  { name: "parallel", title: "Parallel", group: "Understand", inside: true, mount: parallel.mount },
  { name: "slice", title: "Slice", group: "Understand", inside: true, mount: slice.mount },
  { name: "contour", title: "Contour", group: "Understand", inside: true, mount: contour.mount },
  { name: "pareto", title: "Pareto", group: "Understand", inside: true, mount: pareto.mount },
  { name: "lineage", title: "Lineage", group: "Understand", inside: true, mount: lineage.mount },
  { name: "timeline", title: "Timeline", group: "Machines", inside: true, mount: timeline.mount },
  { name: "nodes", title: "Nodes", group: "Machines", inside: true, mount: nodes.mount },
  { name: "node", title: "Node", under: "nodes", inside: true, mount: node.mount },
  { name: "checkpoints", title: "Checkpoints", group: "Machines", inside: true, mount: checkpoints.mount },
];
