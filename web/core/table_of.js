/** The answer of …/parallel as rows that slice, contour and parallel share. Pure. */
import { extent, place } from "../chart/ranges.js";
import { number } from "./format.js";

/**
 * @typedef {object} Axis
 * @property {string} name
 * @property {boolean} log
 * @property {any} low
 * @property {any} high
 * @property {any[] | null} values of a choice, in order
 * @property {string} [kind] of its domain
 * @property {boolean} [isMetric]
 */

/** Kinds of domains that list their values. */
const listing = new Set(["choice", "ordinal", "grid", "constant"]);

/**
 * Whether there is nothing between whole numbers on an axis.
 *
 * @param {Axis} axis
 */
export const isWhole = (axis) =>
  axis.kind === "int" ||
  (listing.has(axis.kind || "") && Number.isInteger(axis.low) && Number.isInteger(axis.high));

/**
 * @typedef {object} Row
 * @property {any} trial
 * @property {string} status
 * @property {any[]} values one per axis
 * @property {number[]} places of the values, between 0 and 1
 * @property {number} metric
 */

/** @param {any} axis @param {any[]} values @returns {Axis} with ends that its values need, where it tells none */
function whole(axis, values) {
  // Of these the server lists the items, and a value is an arrangement of them.
  const isArranged = axis.kind === "permutation" || axis.kind === "subset";
  const isListed = Array.isArray(axis.values) && axis.values.length > 0 && !isArranged;
  const choices = isListed ? axis.values : null;
  const made = {
    name: String(axis.name),
    kind: String(axis.kind),
    log: Boolean(axis.log),
    low: axis.low,
    high: axis.high,
    values: choices,
  };
  if (choices) return made;
  const isBounded = Number.isFinite(number(axis.low)) && Number.isFinite(number(axis.high));
  if (isBounded) return { ...made, low: number(axis.low), high: number(axis.high) };
  const numbers = values.map((x) => (typeof x === "number" ? x : NaN));
  if (numbers.some(Number.isFinite)) {
    const [low, high] = extent(numbers);
    return { ...made, low, high };
  }
  const seen = [
    ...new Map(
      values.filter((x) => x !== null && x !== undefined).map((x) => [JSON.stringify(x), x]),
    ).values(),
  ];
  return { ...made, values: seen.slice(0, 100) };
}

/**
 * @param {any} answer of …/parallel
 * @param {string} metric
 * @returns {{axes: Axis[], rows: Row[]}} the last axis is the metric's
 */
export function tableOf(answer, metric) {
  const given = (answer.axes || []).filter(
    (/** @type {any} */ x) => x.name !== metric || x.kind !== "metric",
  );
  const many = given.length;
  const raw = (answer.lines || []).map((/** @type {any[]} */ l) => ({
    trial: l[0],
    status: String(l[1]),
    values: l.slice(2, 2 + many),
    metric: number(l[l.length - 1]),
  }));
  const axes = given.map((/** @type {any} */ axis, /** @type {number} */ i) =>
    whole(
      axis,
      raw.map((/** @type {any} */ r) => r.values[i]),
    ),
  );
  const [low, high] = extent(raw.map((/** @type {any} */ r) => r.metric));
  axes.push({ name: metric, log: false, low, high, values: null, isMetric: true });
  const rows = raw.map((/** @type {any} */ r) => {
    const values = [...r.values, r.metric];
    return {
      ...r,
      values,
      places: axes.map((/** @type {Axis} */ axis, /** @type {number} */ i) =>
        place(axis, values[i]),
      ),
    };
  });
  return { axes, rows };
}

/**
 * Which rows lie within all brushes.
 *
 * @param {Row[]} rows
 * @param {Array<[number, number] | null>} brushes per axis, ends between 0 and 1 in any order
 * @returns {number[]} their indices
 */
export function within(rows, brushes) {
  const set = brushes
    .map((x, i) => ({
      i,
      low: x ? Math.min(x[0], x[1]) : 0,
      high: x ? Math.max(x[0], x[1]) : 1,
      isSet: x !== null,
    }))
    .filter((x) => x.isSet);
  const result = [];
  for (let n = 0; n < rows.length; n += 1) {
    const places = rows[n].places;
    if (set.every((x) => places[x.i] >= x.low && places[x.i] <= x.high)) result.push(n);
  }
  return result;
}

/** @param {Array<[number, number] | null>} brushes @param {Axis[]} axes @returns {string} for the address */
export const brushText = (brushes, axes) =>
  axes
    .map((x, i) =>
      brushes[i]
        ? encodeURIComponent(x.name) +
          ":" +
          brushes[i].map((/** @type {number} */ v) => v.toFixed(4)).join(":")
        : "",
    )
    .filter(Boolean)
    .join(";");

/** @param {string | undefined} text @param {Axis[]} axes @returns {Array<[number, number] | null>} */
export function brushesOf(text, axes) {
  const found = new Map();
  for (const part of (text || "").split(";")) {
    const [name, a, b] = part.split(":");
    const ends = [Number(a), Number(b)];
    if (a !== undefined && b !== undefined && ends.every((x) => x >= 0 && x <= 1))
      found.set(name, ends);
  }
  return axes.map((x) => found.get(encodeURIComponent(x.name)) || null);
}

/**
 * How good each value is among all, from 0, the worst, to 1; infinite ones count, of no value 0.
 *
 * @param {number[]} values
 * @param {boolean} isMax
 */
export function ranksOf(values, isMax) {
  const order = [...values.keys()].filter((i) => !Number.isNaN(values[i]));
  order.sort((a, b) =>
    values[a] === values[b] ? 0 : values[a] < values[b] === isMax ? -1 : 1,
  );
  const result = new Float64Array(values.length);
  order.forEach((i, at) => (result[i] = order.length > 1 ? at / (order.length - 1) : 1));
  return result;
}
