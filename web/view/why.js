/** The story of a trial in one sentence. Pure. */
import { count, figure, plain } from "../core/format.js";

/**
 * What a decision went by, in words. What lets a trial pass a rung tells only numbers.
 *
 * @param {any} d @returns {string}
 */
export function decisionText(d) {
  const { why, rung, value, cutoff } = d.reason || {};
  if (why || d.action !== "annotate" || rung === undefined || value === undefined)
    return plain(d.text || d.reason, 300);
  const beside = cutoff === undefined ? ", with no cutoff yet" : "; its cutoff is " + figure(cutoff);
  return "goes on beyond rung " + figure(rung) + " with " + figure(value) + beside;
}

/** @param {any} x a trial's page @returns {string} */
export function whyText(x) {
  const status = String(x.status);
  const reason = plain(x.reason || "", 400);
  if (status === "RUNNING")
    return (
      "It runs, " + count(x.iterations) + " iterations so far." + (reason ? " Last: " + reason : "")
    );
  if (status === "PENDING") return reason ? "It waits: " + reason : "It waits for its turn.";
  if (status === "PAUSED") return reason ? "It is paused: " + reason : "It is paused.";
  if (status === "ERRORED") return reason ? "It failed: " + reason : "It failed.";
  return reason ? "It ended: " + reason : "It ended.";
}
