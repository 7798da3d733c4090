/** Pieces that views are made of. */
import { fill, h } from "./dom.js";
import { figure, number, parameterNames, parameterOf, plain, trialName } from "./format.js";
import { isAborted, Fault } from "./api.js";
import { untilNext } from "./beat.js";
import { format, here } from "./route.js";
import { isStored } from "./stored.js";

/**
 * @typedef {object} Context what a view is given
 * @property {Record<string, string>} route the address when it was opened
 * @property {AbortSignal} signal ends with the view
 * @property {import("./live.js").Line} line
 * @property {any} about the experiment's own page, null outside experiments; fresh at each change
 * @property {string[]} base segments of the experiment's resources
 */

/** In a report, which has no other pages, only its text. @param {Record<string, any>} route @param {...any} children @returns {HTMLElement} */
export const link = (route, ...children) =>
  isStored()
    ? h("span", null, ...children)
    : h("a", { href: format(route), "data-route": "" }, ...children);

/** A trial's name, which leads to its page. @param {Context} ctx @param {any} trial */
export const trialLink = (ctx, trial) =>
  link({ e: ctx.route.e, view: "trial", t: trial }, h("span.mono", null, trialName(trial)));

/** @param {string} status @returns {HTMLElement} */
export const statusChip = (status) =>
  h(
    "span.chip",
    { "data-status": String(status) },
    h("i", { "aria-hidden": "true" }),
    plain(String(status).toLowerCase().replace(/_/g, " "), 30),
  );

/**
 * A titled part of the page.
 *
 * @param {string} title
 * @param {any} [tools] beside the title
 * @param {any} [note] what it shows, in a sentence
 * @returns {{node: HTMLElement, body: HTMLElement}}
 */
export function panel(title, tools, note) {
  const body = h("div.body", null);
  const head = h(
    "div.head",
    null,
    h("h2", null, title),
    tools ? h("div.tools", null, tools) : null,
  );
  // In a report there may be one for each experiment, below its own heading.
  const [place, named] = isStored() ? ["div.panel", null] : ["section.panel", { "aria-label": title }];
  return {
    node: h(
      place,
      named,
      head,
      note ? h("p.note", null, note) : null,
      body,
    ),
    body,
  };
}

/**
 * @param {string[]} heads a name that ends in "#" is of a column of numbers
 * @param {any[][]} rows cells for h()
 * @param {string} label
 */
export function table(heads, rows, label) {
  const isNumber = heads.map((x) => x.endsWith("#"));
  const cells = (/** @type {any[]} */ row) =>
    row.map((x, i) => h(isNumber[i] ? "td.number" : "td", null, x));
  // A column without a name has no head: an empty one would be read out.
  const head = heads.map((x, i) => {
    const name = x.replace(/#$/, "");
    return name ? h(isNumber[i] ? "th.number" : "th", { scope: "col" }, name) : h("td", null);
  });
  return h(
    "div.scroll",
    { tabindex: "0", role: "group", "aria-label": label },
    h(
      "table",
      null,
      h("thead", null, h("tr", null, head)),
      h(
        "tbody",
        null,
        rows.map((row) => h("tr", null, cells(row))),
      ),
    ),
  );
}

/** Names and values. @param {any} values */
export function pairs(values, label = "values") {
  const rows = Object.entries(values && typeof values === "object" ? values : {});
  if (rows.length === 0) return h("p.quiet", null, "none");
  return h(
    "dl.pairs",
    { "aria-label": label },
    rows.map(([key, value]) =>
      h("div", null, h("dt", null, plain(key, 80)), h("dd", null, plain(value, 200))),
    ),
  );
}

/** A configuration by the names of the space. @param {any} ctx @param {any} config @param {string} label */
export function configuration(ctx, config, label) {
  const known = (ctx.about.parameters || []).map((/** @type {any} */ x) => x.name);
  const names = parameterNames(config, known);
  return pairs(Object.fromEntries(names.map((x) => [x, parameterOf(config, x)])), label);
}

/**
 * What a mark of a chart means, never torn apart.
 *
 * @param {string} key names its colour; empty: none
 * @param {string} mark empty: a ramp of colours
 * @param {string} text
 */
export const legendItem = (key, mark, text) =>
  h("span.item", null, h("span.key" + (key ? "." + key : ""), null, mark), text);

/** Words with names between back quotes, set as such. @param {string} text */
export const words = (text) =>
  text.split("`").map((part, i) => (i % 2 === 1 ? h("code", null, part) : part));

/** @param {string} name @param {any} value @param {any} [more] */
export const tile = (name, value, more) =>
  h(
    "div.tile",
    null,
    h("dt", null, name),
    h("dd", null, value, more ? h("small", null, more) : null),
  );

/**
 * A choice of the address: the view draws it again by `act`.
 *
 * @param {string} label @param {string} value @param {Array<[string, string]>} choices value, text
 * @param {(value: string) => void} act
 */
export function choice(label, value, choices, act) {
  const select = h(
    "select",
    { onchange: (/** @type {any} */ event) => act(event.target.value) },
    choices.map(([x, text]) => h("option", { value: x }, plain(text, 60))),
  );
  select.value = value;
  if (select.selectedIndex < 0 && choices.length > 0) select.selectedIndex = 0;
  return h("label.field", null, h("span", null, label), select);
}

/** @param {string} label @param {boolean} value @param {(value: boolean) => void} act */
export const toggle = (label, value, act) =>
  h(
    "label.toggle",
    null,
    h("input", {
      type: "checkbox",
      checked: value,
      onchange: (/** @type {any} */ event) => act(event.target.checked),
    }),
    label,
  );

/** The choice of metric that most views have. @param {Context} ctx @param {(value: string) => void} act */
export const metricChoice = (ctx, act) =>
  choice(
    "Metric",
    metricOf(ctx),
    (ctx.about.metrics || []).map((/** @type {string} */ x) => [x, x]),
    act,
  );

/** @param {Context} ctx @returns {string} the metric of the address, else the first objective */
export function metricOf(ctx) {
  const asked = here().metric;
  if (asked) return asked;
  const first = (ctx.about.objectives || [])[0];
  return (first && first.metric) || ctx.about.metric || (ctx.about.metrics || [])[0] || "";
}

/** @param {Context} ctx @param {string} metric @returns {"min" | "max"} */
export function modeOf(ctx, metric) {
  const found = (ctx.about.objectives || []).find((/** @type {any} */ x) => x.metric === metric);
  return (found ? found.mode : ctx.about.mode) === "max" ? "max" : "min";
}

/** @param {unknown} error @param {() => void} again */
export function faultBox(error, again) {
  const text = error instanceof Error ? error.message : String(error);
  const isKnown = error instanceof Fault;
  if (!isKnown) console.error(error);
  return h(
    "div.fault",
    { role: "alert" },
    h("strong", null, isKnown && error.status === 404 ? "Not here" : "This cannot be shown"),
    h("span", null, plain(text, 600)),
    h("button", { type: "button", onclick: again }, "Try again"),
  );
}

/**
 * Fetches, shows, and does both again after changes: the states that every view has.
 *
 * @param {Context} ctx
 * @param {Element} host
 * @param {{fetch: () => Promise<any>, show: (data: any, body: HTMLElement) => void, empty?: (data: any) => any, every?: number, still?: boolean}} source
 *   `empty`: what is said instead, where there is nothing to show; `every`: the least time between
 *   two fetches [ms]; `still`: does not follow changes
 * @returns {() => void} fetches and shows once more
 */
export function follow(ctx, host, source) {
  const state = h(
    "div.state",
    { role: "status" },
    h("span.spinner", { "aria-hidden": "true" }),
    "Loading…",
  );
  const body = h("div", { hidden: true });
  host.append(state, body);
  const every = source.every || 1000;
  let [isBusy, isDue, timer, last, took] = [false, false, 0, -Infinity, 0];
  const say = (/** @type {any} */ what) => {
    fill(state, what);
    state.hidden = !what;
  };
  const shown = (/** @type {any} */ data) => {
    const nothing = source.empty && source.empty(data);
    body.hidden = Boolean(nothing);
    say(nothing ? h("p.empty", null, typeof nothing === "string" ? words(nothing) : nothing) : null);
    if (!nothing) source.show(data, body);
  };
  const load = async () => {
    if (isBusy) return void (isDue = true);
    isBusy = true;
    last = performance.now();
    try {
      const data = await source.fetch();
      if (!ctx.signal.aborted) shown(data);
    } catch (error) {
      if (!isAborted(error) && !ctx.signal.aborted) say(faultBox(error, load));
    }
    isBusy = false;
    took = performance.now() - last;
    if (isDue) soon();
  };
  const soon = () => {
    isDue = true;
    if (timer || isBusy || document.hidden || ctx.signal.aborted) return;
    timer = window.setTimeout(
      () => {
        timer = 0;
        isDue = false;
        load();
      },
      // A server that is slow gets as much rest as it worked.
      Math.max(
        untilNext(every, performance.now() - last, ctx.line.clock()),
        2 * took - (performance.now() - last),
      ),
    );
  };
  if (!source.still) ctx.line.listen(soon, ctx.signal);
  document.addEventListener("visibilitychange", () => !document.hidden && isDue && soon(), {
    signal: ctx.signal,
  });
  load();
  return load;
}

/** @param {any} best the server's {trial, value} @returns {string} */
export const bestText = (best) => (best ? figure(best.value, 6) : "–");

/** Behind a best trial that failed later, as the program says it. Pure. @param {any} best @returns {string} */
export const laterFailure = (best) =>
  best && best.status === "ERRORED" ? " (which failed later)" : "";

/** @param {Record<string, any>} counts @returns {Array<[string, number, string]>} for a bar of shares */
export const countParts = (counts) => {
  const of = (/** @type {string} */ x) => Math.max(0, number(counts && counts[x]) || 0);
  return [
    ["terminated", of("terminated"), "--done"],
    ["running", of("running"), "--running"],
    ["paused", of("paused"), "--paused"],
    ["pending", of("pending"), "--pending"],
    ["errored", of("errored"), "--bad"],
  ];
};

let noteTimer = 0;

/** Says something for a while, at the foot of the page. @param {string} text @param {boolean} [isBad] */
export function note(text, isBad) {
  const place = /** @type {Element} */ (document.getElementById("notes"));
  fill(place, h(isBad ? "p.bad" : "p", null, plain(text, 500)));
  clearTimeout(noteTimer);
  noteTimer = window.setTimeout(() => fill(place), 8000);
}

/**
 * For what is drawn anew again and again: each call ends what the one before began.
 *
 * @param {AbortSignal} signal ends the last, too
 * @returns {() => AbortSignal}
 */
export function turns(signal) {
  let last = new AbortController();
  signal.addEventListener("abort", () => last.abort());
  return () => {
    last.abort();
    last = new AbortController();
    return last.signal;
  };
}
