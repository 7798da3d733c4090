/** Two axes with marks on a canvas between them: what all charts share. */
import { css, fill, h, onceAFrame } from "../core/dom.js";
import { shortDuration, tick, timeTicks } from "../core/format.js";
import { isStored } from "../core/stored.js";

/**
 * @typedef {object} Axis
 * @property {string} label
 * @property {boolean} [log] falls back to linear where a value is not positive
 * @property {[number, number]} [domain] of the data; made a little wider
 * @property {boolean} [exact] the domain is not made wider
 * @property {string[]} [names] categories at 0, 1, …
 * @property {(x: any) => string} [format]
 * @property {number[]} [ticks] where there are ticks; otherwise at round numbers
 * @property {boolean} [whole] no ticks between whole numbers
 * @property {boolean} [time] its values are seconds
 * @property {boolean} [hidden] it has no ticks
 */

/**
 * @typedef {object} Scene
 * @property {Axis} x
 * @property {Axis} y
 * @property {(ctx: CanvasRenderingContext2D, plot: Plot) => void} draw
 * @property {Array<{x: number, y: number, [more: string]: any}>} [points] that can be pointed at
 * @property {(point: any) => any} [describe] what is said of one, for h()
 * @property {(point: any) => void} [pick] what a click on one does
 * @property {string} [summary] the chart in words
 */

/** @param {Axis} axis @returns {boolean} */
const isLog = (axis) => Boolean(axis.log && axis.domain && axis.domain[0] > 0);

/** @param {Axis} axis @param {[number, number]} range */
export function scaleOf(axis, range) {
  if (axis.names)
    return d3
      .scaleLinear()
      .domain([-0.5, axis.names.length - 0.5])
      .range(range);
  let [low, high] = axis.domain || [0, 1];
  if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = [0, 1];
  if (isLog(axis)) {
    if (low === high) [low, high] = [low / 2, high * 2];
    const more = axis.exact ? 1 : Math.pow(high / low, 0.04);
    return d3
      .scaleLog()
      .domain([low / more, high * more])
      .range(range);
  }
  if (low === high)
    [low, high] = [low - (Math.abs(low) * 0.1 || 1), high + (Math.abs(high) * 0.1 || 1)];
  const more = axis.exact ? 0 : (high - low) * 0.04;
  return d3
    .scaleLinear()
    .domain([low - more, high + more])
    .range(range);
}

export class Plot {
  /**
   * @param {Element} host
   * @param {{height?: number, label: string, signal?: AbortSignal, left?: number}} options
   */
  constructor(host, options) {
    this.options = { height: 280, left: 58, ...options };
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.ring = h("div.ring", { hidden: true });
    this.tip = h("div.tip", { hidden: true });
    this.frame = h("div.plot", {
      role: "img",
      "aria-label": options.label,
      tabindex: "0",
      style: { height: this.options.height + "px" },
    });
    host.appendChild(this.frame);
    this.svg = d3.select(this.frame).append("svg").attr("aria-hidden", "true");
    this.frame.append(this.canvas, this.ring, this.tip);
    /** @type {Scene | null} */
    this.scene = null;
    /** @type {any} */
    this.pointed = null;
    this.width = this.height = 0;
    this.box = { left: 0, top: 0, right: 0, bottom: 0 };
    /** The scales, once it was drawn. @type {any} */
    this.x = null;
    /** @type {any} */
    this.y = null;
    this.ask = onceAFrame(() => this.draw());
    this.watch(options.signal);
  }

  /** @param {AbortSignal | undefined} signal */
  watch(signal) {
    const sizes = new ResizeObserver(this.ask);
    sizes.observe(this.frame);
    const again = () => this.ask();
    addEventListener("themechange", again);
    // What is printed is drawn at once: there are no frames on paper.
    addEventListener("drawnow", () => this.draw(), { signal });
    if (signal)
      signal.addEventListener("abort", () => {
        sizes.disconnect();
        removeEventListener("themechange", again);
      });
    this.frame.addEventListener("pointermove", (/** @type {PointerEvent} */ event) =>
      this.point(event),
    );
    this.frame.addEventListener("pointerleave", () => this.pointAt(null));
    this.frame.addEventListener("click", () => this.pick());
    this.frame.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) =>
      this.step(event),
    );
  }

  /** @param {Scene} scene */
  show(scene) {
    this.scene = scene;
    this.ask();
  }

  draw() {
    const scene = this.scene;
    const width = this.frame.clientWidth;
    const height = this.frame.clientHeight;
    if (!scene || width < 40) return;
    this.width = width;
    this.height = height;
    const left = Math.min(this.options.left, width * 0.3);
    this.box = { left, top: 10, right: width - 12, bottom: height - 40 };
    this.x = scaleOf(scene.x, [this.box.left, this.box.right]);
    this.y = scaleOf(scene.y, [this.box.bottom, this.box.top]);
    if (scene.summary)
      this.frame.setAttribute("aria-label", this.options.label + ". " + scene.summary);
    this.axes(scene);
    const ctx = sized(this.canvas, width, height);
    ctx.save();
    ctx.beginPath();
    ctx.rect(left - 1, 4, this.box.right - left + 8, this.box.bottom - 3);
    ctx.clip();
    scene.draw(ctx, this);
    ctx.restore();
    this.tree = null;
    this.mark();
  }

  /** @param {Scene} scene */
  axes(scene) {
    const { left, right, bottom, top } = this.box;
    this.svg.attr("width", this.width).attr("height", this.height);
    this.svg.selectAll("*").remove();
    const across = Math.max(2, Math.min(10, Math.floor((right - left) / 80)));
    const x = ticked(d3.axisBottom(this.x), scene.x, across).tickSizeOuter(0).tickSize(4);
    const y = ticked(d3.axisLeft(this.y), scene.y, Math.max(3, Math.floor((bottom - top) / 45)));
    this.svg
      .append("g")
      .attr("class", "axis")
      .attr("transform", "translate(0," + bottom + ")")
      .call(x);
    const g = this.svg
      .append("g")
      .attr("class", "axis y")
      .attr("transform", "translate(" + left + ",0)");
    if (!scene.y.hidden) g.call(y.tickSize(0).tickPadding(8));
    const named = g.selectAll(".tick").filter(
      /** @this {Element} */ function () {
        return this.textContent !== "";
      },
    );
    named
      .append("line")
      .attr("class", "grid")
      .attr("x1", 0)
      .attr("x2", right - left);
    this.svg
      .append("text")
      .attr("class", "label")
      .attr("x", right)
      .attr("y", this.height - 4)
      .attr("text-anchor", "end")
      .text(scene.x.label);
    if (scene.y.label)
      this.svg
        .append("text")
        .attr("class", "label")
        .attr("x", 2)
        .attr("y", this.height - 4)
        .text("↑ " + scene.y.label);
  }

  /** @param {PointerEvent} event */
  point(event) {
    const scene = this.scene;
    if (!scene || !scene.points || !this.x) return;
    const rect = this.frame.getBoundingClientRect();
    if (!this.tree) {
      this.tree = d3
        .quadtree()
        .x((/** @type {any} */ p) => this.x(p.x))
        .y((/** @type {any} */ p) => this.y(p.y));
      this.tree.addAll(
        scene.points.filter((p) => Number.isFinite(this.x(p.x)) && Number.isFinite(this.y(p.y))),
      );
    }
    this.pointAt(this.tree.find(event.clientX - rect.left, event.clientY - rect.top, 30) || null);
  }

  /** Arrow keys go from point to point, Enter opens one. @param {KeyboardEvent} event */
  step(event) {
    const points = this.scene && this.scene.points;
    if (!points || points.length === 0) return;
    const at = points.indexOf(this.pointed);
    if (event.key === "ArrowRight") this.pointAt(points[Math.min(points.length - 1, at + 1)]);
    else if (event.key === "ArrowLeft") this.pointAt(points[Math.max(0, at - 1)]);
    else if (event.key === "Enter") this.pick();
    else if (event.key === "Escape") this.pointAt(null);
    else return;
    event.preventDefault();
  }

  /** @param {any} point */
  pointAt(point) {
    if (point === this.pointed) return;
    this.pointed = point;
    this.mark();
  }

  mark() {
    const point = this.pointed;
    const scene = this.scene;
    const isShown = Boolean(point && scene && scene.describe && this.x);
    this.tip.hidden = !isShown;
    this.ring.hidden = !isShown;
    this.frame.classList.toggle("can-pick", Boolean(isShown && scene && scene.pick) && !isStored());
    if (!isShown || !scene || !scene.describe) return;
    const [x, y] = [this.x(point.x), this.y(point.y)];
    this.ring.style.setProperty("transform", "translate(" + (x - 6) + "px," + (y - 6) + "px)");
    fill(this.tip, scene.describe(point));
    const isLeft = x > this.width / 2;
    this.tip.style.setProperty("left", isLeft ? "auto" : x + 12 + "px");
    this.tip.style.setProperty("right", isLeft ? this.width - x + 12 + "px" : "auto");
    this.tip.style.setProperty("top", Math.max(0, Math.min(y - 10, this.height - 90)) + "px");
  }

  pick() {
    if (this.pointed && this.scene && this.scene.pick) this.scene.pick(this.pointed);
  }
}

/** @param {any} made @param {Axis} axis @param {number} many */
function ticked(made, axis, many) {
  const format = axis.format || tick;
  if (axis.names) {
    const names = axis.names;
    const every = Math.ceil(names.length / (many * 2));
    const places = names.map((_, i) => i).filter((i) => i % every === 0);
    return made.tickValues(places).tickFormat((/** @type {number} */ i) => cut(names[i], 14));
  }
  if (axis.ticks) return made.tickValues(axis.ticks).tickFormat(format);
  if (axis.time && !isLog(axis))
    return made.tickValues(timeTicks(axis.domain || [0, 1], many)).tickFormat(shortDuration);
  if (isLog(axis)) return made.ticks(many, axis.time ? shortDuration : format);
  const shown = (/** @type {number} */ v) => (axis.whole && !Number.isInteger(v) ? "" : format(v));
  return made.ticks(many).tickFormat(shown);
}

/** @param {string} text @param {number} most */
export const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

/**
 * Makes a canvas as large as its place, in the screen's own pixels.
 *
 * @param {HTMLCanvasElement} canvas @param {number} width @param {number} height
 */
export function sized(canvas, width, height) {
  const ratio = Math.min(3, devicePixelRatio || 1);
  const [w, t] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== t) {
    canvas.width = w;
    canvas.height = t;
    canvas.style.setProperty("width", width + "px");
    canvas.style.setProperty("height", height + "px");
  }
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return ctx;
}

/**
 * Strokes points as one line; gaps where a value is none, and where it would lead back.
 *
 * @param {CanvasRenderingContext2D} ctx @param {Plot} plot @param {Array<[number, number]>} points
 * @param {{stepped?: boolean}} [how]
 */
export function line(ctx, plot, points, how = {}) {
  ctx.beginPath();
  let isDown = false;
  let [last, before] = [0, -Infinity];
  for (const [vx, vy] of points) {
    const x = plot.x(vx);
    const y = plot.y(vy);
    isDown = isDown && vx >= before;
    before = vx;
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      isDown = false;
      continue;
    }
    if (!isDown) ctx.moveTo(x, y);
    else if (how.stepped) {
      ctx.lineTo(x, last);
      ctx.lineTo(x, y);
    } else ctx.lineTo(x, y);
    isDown = true;
    last = y;
  }
  ctx.stroke();
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {number} [r] */
export function dot(ctx, x, y, r = 3) {
  ctx.beginPath();
  ctx.arc(x, y, r, 0, 2 * Math.PI);
  ctx.fill();
}

/** A cross: what was cut. @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y */
export function cross(ctx, x, y, r = 3) {
  ctx.beginPath();
  ctx.moveTo(x - r, y - r);
  ctx.lineTo(x + r, y + r);
  ctx.moveTo(x - r, y + r);
  ctx.lineTo(x + r, y - r);
  ctx.stroke();
}

/** An upright bar: what ended from outside. @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y */
export function bar(ctx, x, y, r = 4) {
  ctx.beginPath();
  ctx.moveTo(x, y - r);
  ctx.lineTo(x, y + r);
  ctx.stroke();
}

/** What an axis calls for, as the reader's CSS has it. */
export const ink = () => css("--ink");
