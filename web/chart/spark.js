/** A line of a few values, as small as a word. */
import { css, h } from "../core/dom.js";
import { number } from "../core/format.js";
import { calmExtent } from "./ranges.js";

/**
 * @param {any[]} values
 * @param {string} label for those who do not see it
 */
export function spark(values, label, width = 96, height = 24) {
  const ys = values.map(number);
  const [low, high] = calmExtent(ys);
  const svg = d3.create("svg").attr("class", "spark").attr("width", width).attr("height", height).attr("role", "img").attr("aria-label", label);
  const x = d3.scaleLinear().domain([0, Math.max(1, ys.length - 1)]).range([2, width - 4]);
  const y = d3.scaleLinear().domain(low === high ? [low - 1, high + 1] : [low, high]).range([height - 3, 3]).clamp(true);
  const path = d3.line().defined(Number.isFinite).x((/** @type {any} */ _, /** @type {number} */ i) => x(i)).y((/** @type {number} */ v) => y(v));
  svg.append("path").attr("d", path(ys)).attr("class", "spark-line");
  const last = ys[ys.length - 1];
  if (Number.isFinite(last)) svg.append("circle").attr("cx", x(ys.length - 1)).attr("cy", y(last)).attr("r", 2).attr("class", "spark-end");
  return svg.node();
}

/**
 * Shares of a whole as one bar.
 *
 * @param {Array<[string, number, string]>} parts name, number, property of the colour
 * @param {string} label
 */
export function shares(parts, label) {
  const all = parts.reduce((sum, x) => sum + x[1], 0);
  const bar = h("div.shares", { role: "img", "aria-label": label + ": " + parts.filter((x) => x[1] > 0).map((x) => x[1] + " " + x[0]).join(", ") });
  for (const [name, many, colour] of parts) {
    if (many > 0) bar.appendChild(h("span", { title: many + " " + name, style: { "flex-grow": many / all, background: css(colour) ? "var(" + colour + ")" : "currentColor" } }));
  }
  return bar;
}
