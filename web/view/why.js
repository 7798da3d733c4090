/** The story of a trial in one sentence. Pure. */
import { count, plain } from "../core/format.js";

/** @param {any} x a trial's page @returns {string} */
export function whyText(x) {
  const status = String(x.status);
  const reason = plain(x.reason || "", 400);
  if (status === "RUNNING") return "It runs, " + count(x.iterations) + " iterations so far." + (reason ? " Last: " + reason : "");
  if (status === "PENDING") return reason ? "It waits: " + reason : "It waits for its turn.";
  if (status === "PAUSED") return reason ? "It is paused: " + reason : "It is paused.";
  if (status === "ERRORED") return reason ? "It failed: " + reason : "It failed.";
  return reason ? "It ended: " + reason : "It ended.";
}
