/** Which columns the table of trials has. */
import { count, duration, figure, plain } from "../core/format.js";
import { statusChip, trialLink } from "../core/parts.js";
import { split } from "../core/route.js";

/**
 * @typedef {object} Column
 * @property {string} name in the address
 * @property {string} title
 * @property {string} key to sort by; empty: cannot be
 * @property {string} width
 * @property {boolean} isNumber
 * @property {boolean} isShown unless one chooses
 * @property {(row: any) => any} cell
 * @property {(row: any) => any} [hint]
 */

/** @param {any} values @param {string} name */
const of = (values, name) => (values && Object.prototype.hasOwnProperty.call(values, name) ? values[name] : undefined);

/** @param {any} value */
const cell = (value) => (value === undefined ? "" : typeof value === "number" ? figure(value) : plain(value, 60));

/** @param {any} ctx @returns {Column[]} */
export function columnsOf(ctx) {
  const metrics = ctx.about.metrics || [];
  const objectives = (ctx.about.objectives || []).map((/** @type {any} */ x) => x.metric);
  const parameters = (ctx.about.parameters || []).map((/** @type {any} */ x) => x.name);
  const number = { isNumber: true, isShown: true, width: "108px" };
  const text = { isNumber: false, isShown: true };
  /** @type {Column[]} */
  const columns = [
    { ...text, name: "trial", title: "Trial", key: "trial", width: "74px", cell: (x) => trialLink(ctx, x.trial) },
    { ...text, name: "status", title: "Status", key: "status", width: "118px", cell: (x) => statusChip(x.status) },
    { ...number, name: "iterations", title: "Iterations", key: "iterations", width: "92px", cell: (x) => count(x.iterations) },
    { ...number, name: "time", title: "Time", key: "time_total_s", width: "104px", cell: (x) => duration(x.time_total_s) },
  ];
  for (const m of metrics) {
    const isObjective = objectives.includes(m);
    if (isObjective) columns.push({ ...number, name: "best:" + m, title: "best " + m, key: "best:" + m, cell: (x) => cell(of(x.best_metrics, m)) });
    columns.push({ ...number, isShown: isObjective, name: "metric:" + m, title: m, key: "metric:" + m, cell: (x) => cell(of(x.metrics, m)) });
  }
  parameters.forEach((/** @type {string} */ p, /** @type {number} */ i) => columns.push({ ...number, isShown: i < 8, name: "param:" + p, title: p, key: "param:" + p, cell: (x) => cell(of(x.config, p)) }));
  columns.push(
    { ...text, name: "node", title: "Node", key: "", isShown: false, width: "120px", cell: (x) => plain(x.node || "", 40) },
    { ...text, name: "origin", title: "Origin", key: "", isShown: false, width: "110px", cell: (x) => plain(x.origin || "", 40) },
    { ...number, name: "failures", title: "Failures", key: "", isShown: false, width: "80px", cell: (x) => count(x.failures) },
    { ...number, name: "created", title: "Created", key: "created", isShown: false, width: "104px", cell: (x) => duration(x.created) },
    { ...number, name: "ended", title: "Ended", key: "ended", isShown: false, width: "104px", cell: (x) => (x.ended === null ? "" : duration(x.ended)) },
    { ...text, name: "reason", title: "Why", key: "", width: "minmax(280px, 1fr)", cell: (x) => plain(x.error || x.reason || "", 160), hint: (x) => x.error || x.reason || "" },
  );
  return columns;
}

/** @param {Column[]} all @param {string | undefined} asked @returns {Column[]} */
export function shownColumns(all, asked) {
  const names = split(asked);
  const chosen = names.length > 0 ? all.filter((x) => names.includes(x.name)) : all.filter((x) => x.isShown);
  return chosen.length > 0 ? chosen : all.slice(0, 1);
}
