/** The table of trials: as long as there are trials, drawn as far as one sees. */
import { get, isAborted } from "../core/api.js";
import { fill, h, onceAFrame } from "../core/dom.js";
import { count, plain } from "../core/format.js";
import { Pager, windowOf } from "../core/pager.js";
import { choice, faultBox, panel } from "../core/parts.js";
import { adjust, go, here, join, split } from "../core/route.js";
import { columnsOf, shownColumns } from "./trial_columns.js";

const rowHeight = 30;
const pageSize = 200;
const statuses = [["", "all"], ["RUNNING", "running"], ["PENDING", "pending"], ["PAUSED", "paused"], ["TERMINATED", "terminated"], ["ERRORED", "errored"]];

class TrialTable {
  /** @param {any} ctx @param {HTMLElement} host */
  constructor(ctx, host) {
    this.ctx = ctx;
    this.columns = columnsOf(ctx);
    this.chosen = new Set(split(here().pick));
    this.at = -1;
    this.isDue = false;
    this.timer = 0;
    /** @type {import("./trial_columns.js").Column[]} */
    this.shown = [];
    this.pager = this.pagerOf();
    this.state = h("div.state", { role: "status" });
    this.head = h("div.grid-head", { role: "row" });
    this.rows = h("div.grid-rows", { role: "rowgroup" });
    this.view = h("div.grid", { role: "grid", tabindex: "0", "aria-label": "Trials" }, h("div", { role: "rowgroup" }, this.head), this.rows);
    this.onCount = (/** @type {number} */ _) => {};
    this.onChoice = () => {};
    host.append(this.state, this.view);
    this.ask = onceAFrame(() => this.draw());
    this.view.addEventListener("scroll", this.ask, { passive: true });
    this.view.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.key(event));
    const sizes = new ResizeObserver(this.ask);
    sizes.observe(this.view);
    ctx.signal.addEventListener("abort", () => sizes.disconnect());
    this.restart();
  }

  /** @returns {Pager<any>} */
  pagerOf() {
    const { sort, filter, status } = here();
    const query = { limit: pageSize, sort, filter, status };
    return new Pager(async (cursor) => {
      const found = await get([...this.ctx.base, "trials"], { ...query, cursor }, this.ctx.signal);
      return { rows: found.trials, next: found.next_cursor, total: found.total };
    }, pageSize);
  }

  restart() {
    this.shown = shownColumns(this.columns, here().columns);
    this.view.style.setProperty("--columns", "34px " + this.shown.map((x) => x.width).join(" "));
    const least = this.shown.reduce((sum, x) => sum + Number((/\d+/.exec(x.width) || [0])[0]), 34);
    this.view.style.setProperty("--least", least + "px");
    this.pager = this.pagerOf();
    this.view.scrollTop = 0;
    this.at = -1;
    this.drawHead(here().sort || "");
    this.load(() => this.pager.load(0));
  }

  /** @param {() => Promise<void>} work */
  async load(work) {
    const pager = this.pager;
    this.view.setAttribute("aria-busy", "true");
    try {
      await work();
      if (pager !== this.pager || this.ctx.signal.aborted) return;
      fill(this.state, pager.total === 0 ? h("p.empty", null, here().filter || here().status ? "No trial is like that." : "No trial was made yet.") : null);
      this.onCount(pager.total);
      this.ask();
    } catch (error) {
      if (isAborted(error) || pager !== this.pager) return;
      fill(this.state, faultBox(error, () => this.restart()));
    } finally {
      this.view.removeAttribute("aria-busy");
    }
  }

  /** @param {string} sort */
  drawHead(sort) {
    const cells = this.shown.map((column) => {
      const isUp = sort === column.key;
      const isDown = sort === "-" + column.key;
      const turn = () => {
        adjust({ sort: isDown ? "" : isUp ? "-" + column.key : column.key });
        this.restart();
      };
      const mark = h("span.mark", { "aria-hidden": "true" }, isUp ? "↑" : isDown ? "↓" : "");
      const name = column.key ? h("button.plain", { type: "button", title: plain(column.title, 80), onclick: turn }, plain(column.title, 40), mark) : column.title;
      return h(column.isNumber ? "div.number" : "div", { role: "columnheader", "aria-sort": isUp ? "ascending" : isDown ? "descending" : "none" }, name);
    });
    fill(this.head, h("div", { role: "columnheader" }, h("span.visually-hidden", null, "compare")), cells);
  }

  draw() {
    const pager = this.pager;
    const [from, to] = windowOf(this.view.scrollTop, this.view.clientHeight, rowHeight, pager.total);
    this.rows.style.setProperty("height", pager.total * rowHeight + "px");
    this.view.setAttribute("aria-rowcount", String(pager.total));
    const focused = document.activeElement && document.activeElement.closest ? document.activeElement.closest("[data-place]") : null;
    const place = focused && this.rows.contains(focused) ? /** @type {HTMLElement} */ (focused).dataset.place : null;
    const drawn = [];
    let isMissing = false;
    for (let i = from; i < to; i += 1) {
      const row = pager.row(i);
      isMissing = isMissing || row === undefined;
      drawn.push(this.row(i, row));
    }
    fill(this.rows, drawn);
    if (place) {
      const again = this.rows.querySelector('[data-place="' + place + '"] input');
      if (again) again.focus({ preventScroll: true });
    }
    if (isMissing) this.want(from, to);
  }

  /** What was scrolled past meanwhile is not waited for. @param {number} from @param {number} to */
  want(from, to) {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.load(() => this.pager.need(from, to)), 60);
  }

  /** @param {number} place @param {any} row */
  row(place, row) {
    const attributes = { role: "row", "data-place": String(place), "aria-rowindex": place + 2, style: { transform: "translateY(" + place * rowHeight + "px)" } };
    if (!row) return h("div.grid-row.absent", attributes, h("div", { role: "cell" }), h("div", { role: "cell" }, "…"));
    const id = String(row.trial);
    const box = h("input", { type: "checkbox", checked: this.chosen.has(id), "aria-label": "compare trial " + id, onchange: () => this.choose(id) });
    const cells = this.shown.map((column) => h(column.isNumber ? "div.number" : "div", { role: "gridcell", title: column.hint ? plain(column.hint(row), 300) : null }, column.cell(row)));
    const element = h(place === this.at ? "div.grid-row.at" : "div.grid-row", attributes, h("div", { role: "gridcell" }, box), cells);
    element.addEventListener("click", (/** @type {MouseEvent} */ event) => {
      if (!/** @type {Element} */ (event.target).closest("a,input,button") && !String(getSelection())) this.open(row);
    });
    return element;
  }

  /** @param {any} row */
  open(row) {
    go({ e: this.ctx.route.e, view: "trial", t: row.trial });
  }

  /** @param {string} id */
  choose(id) {
    if (this.chosen.has(id)) this.chosen.delete(id);
    else this.chosen.add(id);
    adjust({ pick: join([...this.chosen]) });
    this.onChoice();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    const row = this.at >= 0 ? this.pager.row(this.at) : undefined;
    if (step) this.moveTo(Math.max(0, Math.min(this.pager.total - 1, this.at + step)));
    else if (event.key === "Enter" && row && event.target === this.view) this.open(row);
    else if (event.key === "x" && row) {
      this.choose(String(row.trial));
      this.ask();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} place */
  moveTo(place) {
    this.at = place;
    const top = place * rowHeight;
    const height = this.view.clientHeight - this.head.offsetHeight;
    if (top < this.view.scrollTop) this.view.scrollTop = top;
    else if (top + rowHeight > this.view.scrollTop + height) this.view.scrollTop = top + rowHeight - height;
    this.ask();
  }

  /** After changes: what is seen is fetched again, at most once a second. */
  renew() {
    if (this.isDue) return;
    this.isDue = true;
    setTimeout(() => {
      this.isDue = false;
      if (this.ctx.signal.aborted || document.hidden) return;
      const [from, to] = windowOf(this.view.scrollTop, this.view.clientHeight, rowHeight, Math.max(1, this.pager.total), 0);
      this.load(() => this.pager.renew(from, to));
    }, 800);
  }
}

/** @param {TrialTable} table @param {() => void} redraw */
function columnMenu(table, redraw) {
  const box = (/** @type {any} */ column) => {
    const isOn = () => shownColumns(table.columns, here().columns).includes(column);
    const change = () => {
      const now = new Set(shownColumns(table.columns, here().columns));
      if (now.has(column)) now.delete(column);
      else now.add(column);
      adjust({ columns: join(table.columns.filter((x) => now.has(x)).map((x) => x.name)) });
      redraw();
    };
    return h("label.toggle", null, h("input", { type: "checkbox", checked: isOn(), onchange: change }), plain(column.title, 60));
  };
  return h("details.menu", null, h("summary", null, "Columns"), h("div", null, table.columns.map(box)));
}

/** @param {TrialTable} table */
function tools(table) {
  const filter = h("input.mono", { type: "search", "data-filter": "", placeholder: "param:lr < 0.01 and text ~ cutoff", value: here().filter || "", "aria-label": "Filter", spellcheck: "false", autocomplete: "off" });
  const apply = () => {
    if ((here().filter || "") === filter.value) return;
    adjust({ filter: filter.value });
    table.restart();
  };
  filter.addEventListener("change", apply);
  filter.addEventListener("search", apply);
  const status = choice("Status", here().status || "", /** @type {any} */ (statuses), (value) => {
    adjust({ status: value });
    table.restart();
  });
  const compare = h("button", { type: "button", onclick: () => go({ e: table.ctx.route.e, view: "curves", pick: join([...table.chosen]) }) });
  table.onChoice = () => {
    compare.disabled = table.chosen.size === 0;
    compare.textContent = table.chosen.size > 0 ? "Compare " + table.chosen.size : "Compare";
  };
  table.onChoice();
  return [h("label.field.wide", null, h("span", null, "Filter"), filter), status, columnMenu(table, () => table.restart()), compare];
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const { node, body } = panel("Trials");
  node.classList.add("tall");
  const table = new TrialTable(ctx, body);
  const total = h("span.quiet", null);
  const title = node.querySelector("h2");
  if (title) title.append(" ", total);
  table.onCount = (n) => fill(total, count(n));
  const head = node.querySelector(".head");
  if (head) head.appendChild(h("div.tools", null, tools(table)));
  host.appendChild(node);
  ctx.line.listen(() => table.renew(), ctx.signal);
}
