/** Why a configuration was proposed: worked out at the server when somebody asks. */
import { Fault, get, isAborted } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { count, figure, plain, trialName } from "../core/format.js";
import { faultBox, link, pairs, panel } from "../core/parts.js";

/** How long is waited while another one is worked out. [ms] */
const patience = 2000;

/**
 * What a searcher expected, in words. Pure.
 *
 * @param {any} x the suggestion of the API
 * @returns {Array<[string, string]>} names and texts, without what is not known
 */
export function suggestionLines(x) {
  const lines = /** @type {Array<[string, string]>} */ ([]);
  if (x.unknown) lines.push(["Not explained", plain(x.unknown, 400)]);
  if (x.by) lines.push(["By", plain(x.by, 200)]);
  if (x.results) lines.push(["Learnt from", count(x.results) + " results"]);
  const p = x.predicted;
  if (p) {
    const metric = plain(p.metric, 40);
    lines.push(["Predicted", metric + " " + figure(p.mean) + " ± " + figure(p.deviation)]);
    lines.push([
      "Expected improvement",
      figure(p.expected_improvement) + " on " + figure(p.best),
    ]);
  }
  if (x.same === false)
    lines.push(["Note", "the searcher proposes something else here and now"]);
  return lines;
}

/** @param {any} ctx @param {string} trial */
const toTrial = (ctx, trial) =>
  link({ e: ctx.route.e, view: "trial", t: String(Number(trial)) }, trialName(trial));

/** @param {any} ctx @param {any} x */
function kin(ctx, x) {
  const parents = Array.isArray(x.parents) ? x.parents : [];
  const near = x.nearest;
  return [
    parents.length > 0
      ? h(
          "p",
          null,
          "Parents: ",
          parents.map((/** @type {string} */ t) => [toTrial(ctx, t), " "]),
        )
      : null,
    near
      ? h(
          "p",
          null,
          "Nearest: ",
          near.trial === null ? `number ${near.known} of known` : ["trial ", toTrial(ctx, near.trial)],
          ", " + figure(near.distance) + " away",
        )
      : null,
  ];
}

/** @param {any} ctx @param {any} x */
const explained = (ctx, x) =>
  x === null || x === undefined
    ? h("p.quiet", null, "Its searcher does not learn: there is nothing to explain.")
    : [
        pairs(Object.fromEntries(suggestionLines(x)), "Suggestion"),
        kin(ctx, x),
        x.details && Object.keys(x.details).length > 0
          ? h("details", null, h("summary", null, "Details"), pairs(x.details, "Details"))
          : null,
      ];

/**
 * A panel with a button: the record is replayed only where somebody wants to know.
 *
 * @param {any} ctx
 * @param {HTMLElement} host
 * @param {string} trial
 */
export function suggestionPanel(ctx, host, trial) {
  const made = panel("Why it was proposed");
  const ask = async () => {
    fill(made.body, h("p.quiet", { role: "status" }, "The record is replayed …"));
    try {
      const found = await get([...ctx.base, "trials", trial, "suggestion"], {}, ctx.signal);
      fill(made.body, explained(ctx, found.suggestion));
    } catch (error) {
      if (isAborted(error) || ctx.signal.aborted) return;
      if (error instanceof Fault && error.status === 503) {
        fill(made.body, h("p.quiet", { role: "status" }, "Another one is worked out first …"));
        setTimeout(() => ctx.signal.aborted || ask(), patience);
        return;
      }
      fill(made.body, faultBox(error, ask));
    }
  };
  fill(
    made.body,
    h("button", { type: "button", "data-act": "explain", onclick: ask }, "Explain"),
    h("span.quiet", null, " replays the record, which may take a while"),
  );
  host.appendChild(made.node);
}
