/** Plain computations behind charts: ranges, smoothing, grids. Nothing here touches the page. */

/**
 * The smallest and the largest finite number.
 *
 * @param {Iterable<number>} values
 * @returns {[number, number]} [0, 1] where there is none
 */
export function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const x of values) {
    if (!Number.isFinite(x)) continue;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return low <= high ? [low, high] : [0, 1];
}

/**
 * A range that a few outliers do not stretch: Tukey's fences around the middle half, where they cut
 * more than they keep; else all.
 *
 * @param {number[]} values
 * @returns {[number, number]}
 */
export function calmExtent(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length < 8) return extent(sorted);
  const at = (/** @type {number} */ q) =>
    sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  const reach = 3 * (at(0.75) - at(0.25));
  const all = extent(sorted);
  if (reach === 0) return all;
  const low = Math.max(all[0], at(0.25) - reach);
  const high = Math.min(all[1], at(0.75) + reach);
  return all[1] - all[0] > 4 * (high - low) ? [low, high] : all;
}

/**
 * Exponential smoothing without the pull to the first value (as TensorBoard does it).
 *
 * @param {Array<[number, number]>} points
 * @param {number} weight of the past, 0: as they are. [0, 1)
 * @returns {Array<[number, number]>}
 */
export function smooth(points, weight) {
  if (!(weight > 0)) return points;
  let mean = 0;
  let mass = 0;
  return points.map(([x, y]) => {
    if (!Number.isFinite(y)) return [x, y];
    mean = weight * mean + (1 - weight) * y;
    mass = weight * mass + (1 - weight);
    return [x, mean / mass];
  });
}

/**
 * Rows without those that later ones took the place of: a trial that went back, to a checkpoint or
 * to what another one had, told the same iterations again.
 *
 * @template T
 * @param {T[]} rows as they were told
 * @param {(row: T) => number} iterationOf
 * @returns {T[]}
 */
export function lasting(rows, iterationOf) {
  /** @type {T[]} */
  const kept = [];
  for (const row of rows) {
    while (kept.length > 0 && iterationOf(kept[kept.length - 1]) >= iterationOf(row)) kept.pop();
    kept.push(row);
  }
  return kept;
}

/**
 * Best so far.
 *
 * @param {Array<[number, number]>} points in order of x
 * @param {"min" | "max"} mode
 * @returns {Array<[number, number]>}
 */
export function bestSoFar(points, mode) {
  let best = mode === "max" ? -Infinity : Infinity;
  /** @type {Array<[number, number]>} */
  const steps = [];
  for (const [x, y] of points) {
    if (!Number.isFinite(y)) continue;
    if (mode === "max" ? y > best : y < best) {
      best = y;
      steps.push([x, y]);
    }
  }
  return steps;
}

/**
 * Values on a grid between scattered points: each cell the mean of all points, the near ones
 * weighing most (Shepard's method). Points and cells lie in the unit square.
 *
 * @param {Array<[number, number, number]>} points x, y, value. [x, y in 0..1]
 * @param {number} size cells on a side. [>= 2]
 * @returns {Float64Array} rows from y = 0. [size²; NaN where there is no point]
 */
export function grid(points, size) {
  const cells = new Float64Array(size * size).fill(NaN);
  if (points.length === 0) return cells;
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      const x = column / (size - 1);
      const y = row / (size - 1);
      let sum = 0;
      let mass = 0;
      for (const [px, py, value] of points) {
        const near = 1 / ((px - x) * (px - x) + (py - y) * (py - y) + 5e-4) ** 1.5;
        sum += near * value;
        mass += near;
      }
      cells[row * size + column] = sum / mass;
    }
  }
  return cells;
}

/**
 * Lays spans into as few lanes as their overlaps need.
 *
 * @param {Array<{from: number, to: number}>} spans
 * @returns {number[]} the lane of each
 */
export function lanes(spans) {
  const order = spans.map((_, i) => i).sort((a, b) => spans[a].from - spans[b].from || a - b);
  /** @type {number[]} */
  const free = [];
  const result = new Array(spans.length).fill(0);
  for (const i of order) {
    let lane = free.findIndex((end) => end <= spans[i].from);
    if (lane < 0) lane = free.push(0) - 1;
    free[lane] = spans[i].to;
    result[i] = lane;
  }
  return result;
}

/** Values of choices are told as they are or as texts: `true` is "true". @param {any} value */
const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/**
 * Where a value lies on an axis of parameters.
 *
 * @param {{log?: boolean, low?: any, high?: any, values?: any[] | null}} axis
 * @param {any} value
 * @returns {number} in 0..1 between its ends; NaN where it is none of the axis
 */
export function place(axis, value) {
  if (axis.values && axis.values.length > 0) {
    const wanted = asText(value);
    const at = axis.values.findIndex((x) => asText(x) === wanted);
    if (at < 0) return NaN;
    return axis.values.length === 1 ? 0.5 : at / (axis.values.length - 1);
  }
  const x = Number(value);
  const [low, high] = [Number(axis.low), Number(axis.high)];
  if (value === null || typeof value === "boolean" || !Number.isFinite(x)) return NaN;
  if (low === high) return 0.5;
  // Quotients of values may be more than a number can hold.
  if (axis.log && low > 0)
    return x > 0 ? (Math.log(x) - Math.log(low)) / (Math.log(high) - Math.log(low)) : NaN;
  return (x - low) / (high - low);
}
