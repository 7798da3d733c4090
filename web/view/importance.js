/** Which parameters mattered. */
import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { number, percent, plain } from "../core/format.js";
import { follow, link, metricChoice, metricOf, panel } from "../core/parts.js";
import { adjust } from "../core/route.js";

/** How sure it is, and what the best trials have. @param {any} x @returns {string} */
export function told(x) {
  const parts = [];
  if (x.importance === null) parts.push("too few configurations have it");
  if (x.more_than_chance === false) parts.push("no more than chance");
  const [from, to] = [plain(x.from ?? "", 40), plain(x.to ?? "", 40)];
  if (from) parts.push("the best have " + (to && to !== from ? from + " to " + to : from));
  return parts.join("; ");
}

/** @param {any} ctx @param {any} x @param {number} most */
function bar(ctx, x, most) {
  const value = number(x.importance);
  const part = most > 0 && value > 0 ? value / most : 0;
  return h(
    "li",
    null,
    link(
      { e: ctx.route.e, view: "slice", param: x.name, metric: metricOf(ctx) },
      plain(x.name, 80),
    ),
    h(
      "span.bar",
      { role: "img", "aria-label": percent(value, 1) },
      h("i", { style: { width: 100 * part + "%" } }),
    ),
    h("span.number.mono", null, percent(value, 1)),
    h("small.quiet", null, told(x)),
  );
}

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const tools = metricChoice(ctx, (metric) => {
    adjust({ metric });
    reload();
  });
  const { node, body } = panel("Importance of parameters", tools);
  host.appendChild(node);
  const reload = follow(ctx, body, {
    every: 5000,
    fetch: () => get([...ctx.base, "importance"], { metric: metricOf(ctx) }, ctx.signal),
    empty: (data) =>
      (data.parameters || []).length === 0
        ? plain(data.note || "Too few trials have ended to tell.", 400)
        : null,
    show: (data, place) => {
      const sorted = [...data.parameters].sort(
        (a, b) => (number(b.importance) || 0) - (number(a.importance) || 0),
      );
      const most = Math.max(...sorted.map((x) => number(x.importance) || 0));
      fill(
        place,
        h(
          "ol.bars",
          null,
          sorted.map((x) => bar(ctx, x, most)),
        ),
        h("p.quiet", null, [
          data.method ? "Method: " + plain(data.method, 80) + ". " : "",
          data.note ? plain(data.note, 400) : "",
        ]),
      );
    },
  });
}
