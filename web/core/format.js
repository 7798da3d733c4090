/** Numbers, times and sizes as people read them. Nothing here touches the page. */

/**
 * A number of the server: JSON's, or one of the texts "nan", "inf", "-inf", or digits in a text.
 *
 * @param {any} value
 * @returns {number} NaN where it is none
 */
export function number(value) {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return NaN;
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  return /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(value) ? Number(value) : NaN;
}

/** @param {any} value @returns {boolean} */
export const isFinite = (value) => Number.isFinite(number(value));

/**
 * Up to `digits` significant digits, without zeros at the end. Digits that come as a text, since no
 * number holds them, stay as they are.
 *
 * @param {any} value
 * @param {number} [digits]
 */
export function figure(value, digits = 5) {
  const x = number(value);
  if (Number.isNaN(x)) return value === null || value === undefined ? "–" : String(value);
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  if (typeof value === "string" && /^-?\d{16,}$/.test(value)) return minus(value);
  const size = Math.abs(x);
  if (Number.isInteger(x) && size < 1e7)
    return minus(x.toLocaleString("en-US").replace(/,/g, "\u202f"));
  if (size >= 1e7 || size < 1e-4) return minus(trim(x.toExponential(Math.max(0, digits - 2))));
  return minus(trim(x.toPrecision(digits)));
}

/** @param {string} text */
const minus = (text) => text.replace(/-/g, "−");

/** @param {string} text */
function trim(text) {
  const [mantissa, exponent] = text.split("e");
  const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
  return exponent === undefined ? short : short + "e" + exponent.replace("+", "");
}

/** A label of an axis: three digits. @param {any} value */
export const tick = (value) => figure(value, 3);

/** @param {any} value @returns {string} a whole number, thousands apart */
export const count = (value) =>
  Number.isFinite(number(value)) ? figure(Math.round(number(value)), 7) : "–";

/**
 * @param {any} seconds
 * @returns {string} "42.1 s", "3 min 05 s", "2 h 07 min", "3 d 4 h"
 */
export function duration(seconds) {
  const s = number(seconds);
  if (!Number.isFinite(s)) return "–";
  if (s < 0) return "−" + duration(-s);
  if (s < 1) return s === 0 ? "0 s" : Math.max(1, Math.round(s * 1000)) + " ms";
  if (s < 59.95) return s.toFixed(1) + " s";
  const pad = (/** @type {number} */ x) => String(x).padStart(2, "0");
  const whole = Math.round(s);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return minutes + " min " + pad(whole % 60) + " s";
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return hours + " h " + pad(minutes % 60) + " min";
  return Math.floor(hours / 24) + " d " + (hours % 24) + " h";
}

/** Steps between the ticks of a clock. [s] */
const steps = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900,
  1800, 3600, 7200, 10800, 21600, 43200, 86400,
];

/**
 * Round times between two.
 *
 * @param {[number, number]} domain [s]
 * @param {number} many about so many
 * @returns {number[]}
 */
export function timeTicks([low, high], many) {
  const wanted = (high - low) / Math.max(1, many);
  if (!(wanted > 0)) return [low];
  const days = 86400 * Math.pow(2, Math.ceil(Math.log2(wanted / 86400)));
  const step = steps.find((x) => x >= wanted) || days;
  const made = [];
  for (let n = Math.ceil(low / step); n * step <= high * (1 + 1e-9); n += 1) made.push(n * step);
  return made;
}

/** @param {any} seconds @returns {string} without what is zero: "30 s", "2 min", "1 h 30 min", "2 d" */
export function shortDuration(seconds) {
  const s = number(seconds);
  if (!(s > 0)) return s === 0 ? "0" : "";
  if (s < 60) return figure(s, 3) + " s";
  const parts = [
    [Math.floor(s / 86400), "d"],
    [Math.floor(s / 3600) % 24, "h"],
    [Math.floor(s / 60) % 60, "min"],
    [Math.round(s % 60), "s"],
  ];
  return parts
    .filter((x) => x[0] !== 0)
    .slice(0, 2)
    .map((x) => x.join(" "))
    .join(" ");
}

/** @param {any} value @returns {string} */
export function bytes(value) {
  let x = number(value);
  if (!Number.isFinite(x)) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (x >= 1024 && unit + 1 < units.length) {
    x /= 1024;
    unit += 1;
  }
  return (unit === 0 ? String(x) : x.toFixed(x < 10 ? 1 : 0)) + " " + units[unit];
}

/** @param {any} ms Unix time @returns {string} in the zone of the reader */
export function date(ms) {
  const x = number(ms);
  if (!Number.isFinite(x) || Math.abs(x) > 8e15) return "–";
  const d = new Date(x);
  const pad = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const day = d.getFullYear() + "-" + pad(d.getMonth() + 1) + "-" + pad(d.getDate());
  return day + " " + pad(d.getHours()) + ":" + pad(d.getMinutes());
}

/** @param {number} part @param {number} [digits] @returns {string} */
export const percent = (part, digits = 0) =>
  Number.isFinite(part) ? (100 * part).toFixed(digits) + " %" : "–";

/** A trial's name as directories and commands have it. @param {any} trial */
export function trialName(trial) {
  const text = String(trial);
  return /^\d+$/.test(text) ? text.padStart(5, "0") : text;
}

/**
 * Any value of the server on one line, control characters made visible, and cut. A line's end with
 * what is blank around it is one space.
 *
 * @param {any} value
 * @param {number} [most]
 */
export function plain(value, most = 400) {
  if (typeof value === "number") return figure(value, 6);
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  const shown = text.replace(/[ \t]*[\r\n][ \t\r\n]*/g, " ").replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    "\ufffd",
  );
  return shown.length > most ? shown.slice(0, most) + "…" : shown;
}

/** The same, but lines stay lines. @param {string} text @param {number} [most] */
export const plainLines = (text, most = Infinity) =>
  (text.length > most ? text.slice(0, most) + "…" : text)
    .replace(/\r\n?/g, "\n")
    .replace(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
      "\ufffd",
    );

/**
 * What an object holds under a name, or under a path where values are objects in one another.
 *
 * @param {any} values
 * @param {string} name
 * @param {string} [between] what stands between the parts of a path
 * @returns {any} undefined: nothing
 */
export function member(values, name, between = "/") {
  const has = (/** @type {any} */ x, /** @type {string} */ key) =>
    x !== null && typeof x === "object" && Object.prototype.hasOwnProperty.call(x, key);
  if (has(values, name)) return values[name];
  const at = name.indexOf(between);
  if (at < 0 || !has(values, name.slice(0, at))) return undefined;
  return member(values[name.slice(0, at)], name.slice(at + 1), between);
}

/** What runs are judged by; a bound of a metric that is minimised is one from above. @param {string} judge @param {boolean} isUpper */
export const judgeName = (judge, isUpper) =>
  judge === "lower_bound" && isUpper ? "upper bound" : plain(judge.replace(/_/g, " "), 30);

/** The value of a parameter: `optimizer.lr` is nested. @param {any} config @param {string} name */
export const parameterOf = (config, name) => member(config, name, ".");

/**
 * The names under which a configuration is shown: those of the space, and of the rest the members.
 *
 * @param {any} config
 * @param {string[]} known names of the space
 * @returns {string[]}
 */
export const parameterNames = (config, known) =>
  Object.keys(config || {}).flatMap((key) => {
    const within = known.filter(
      (x) => x.startsWith(key + ".") && parameterOf(config, x) !== undefined,
    );
    return within.length > 0 && !known.includes(key) ? within : [key];
  });

/**
 * Resources as pairs, those that one has made up among them; without what there is none of.
 *
 * @param {any} resources
 * @returns {Array<[string, number]>}
 */
export function resourcePairs(resources) {
  const { custom, ...plainOnes } =
    resources && typeof resources === "object" ? resources : /** @type {any} */ ({});
  const all = Object.entries({
    ...plainOnes,
    ...(custom && typeof custom === "object" ? custom : {}),
  });
  return all
    .map(([name, x]) => /** @type {[string, number]} */ ([name, number(x)]))
    .filter(([, x]) => x > 0);
}
