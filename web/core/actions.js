/** What can be done to a live experiment: each asks first, and then shows what came of it. */
import { Fault, post } from "./api.js";
import { fill, h } from "./dom.js";
import { parameterOf, plain, trialName } from "./format.js";
import { words } from "./parts.js";

/**
 * @typedef {object} Action
 * @property {string} title "Stop trial 00042"
 * @property {string} text what it will do
 * @property {string} verb the button's
 * @property {string[]} segments
 * @property {() => any} [body] what is sent; may throw a text for the user
 * @property {any} [form] more fields
 * @property {boolean} [isGrave] it cannot be taken back
 */

/** @param {any} answer @returns {any} */
function outcome(answer) {
  const told = answer && Array.isArray(answer.told) ? answer.told : [];
  if (told.length === 0) return h("p", null, "Done.");
  const line = (/** @type {any} */ x) => {
    const name = x.trial === null || x.trial === undefined ? "" : trialName(x.trial) + ": ";
    return h("li", null, plain(name + (x.text || x.outcome || "told"), 400));
  };
  return h(
    "ul",
    null,
    told.slice(0, 50).map(line),
    told.length > 50 ? h("li", null, "and " + (told.length - 50) + " more") : null,
  );
}

/** @param {unknown} error */
function refusal(error) {
  const title =
    error instanceof Fault && error.status === 409 ? "The experiment does not run" : "Refused";
  return h(
    "div.fault",
    { role: "alert" },
    h("strong", null, title),
    h("span", null, plain(error instanceof Error ? error.message : String(error), 800)),
  );
}

/** @param {Action} action @param {() => void} [after] is called once it is done */
export function ask(action, after) {
  const said = h("div.outcome", { role: "status" });
  const no = h("button", { type: "button", value: "no" }, "Cancel");
  const yes = h(action.isGrave ? "button.grave" : "button.main", { type: "submit" }, action.verb);
  const form = h(
    "form",
    { method: "dialog" },
    h("h2", { id: "ask-title" }, action.title),
    h("p", null, words(action.text)),
    action.form || null,
    said,
    h("div.buttons", null, no, yes),
  );
  const dialog = h("dialog", { "aria-labelledby": "ask-title" }, form);
  no.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  form.addEventListener("submit", async (/** @type {Event} */ event) => {
    event.preventDefault();
    yes.disabled = true;
    fill(said, "Sending…");
    try {
      fill(said, outcome(await post(action.segments, action.body ? action.body() : {})));
      yes.remove();
      no.textContent = "Close";
      no.focus();
      if (after) after();
    } catch (error) {
      fill(said, refusal(error));
      yes.disabled = false;
    }
  });
  document.body.appendChild(dialog);
  dialog.showModal();
  (action.isGrave ? no : yes).focus();
}

/** @type {Record<string, {verb: string, text: string, isGrave?: boolean}>} */
const ofTrials = {
  stop: {
    verb: "Stop",
    text: "It ends after its next report and keeps what it has found. It is not tried again.",
    isGrave: true,
  },
  pause: {
    verb: "Pause",
    text: "It saves a checkpoint, if it can, and gives its resources back until it is unpaused.",
  },
  unpause: { verb: "Unpause", text: "It goes on as soon as there is room for it." },
  retry: { verb: "Retry", text: "It is run again, from its last checkpoint where it has one." },
};

/** @param {string} status @returns {string[]} what can be done to a trial of this status */
export function verbsFor(status) {
  if (status === "RUNNING" || status === "PENDING") return ["pause", "stop"];
  if (status === "PAUSED") return ["unpause", "stop"];
  return status === "ERRORED" ? ["retry"] : [];
}

/** @param {string[]} base @param {any} trial @param {string} verb @param {() => void} after */
export function askTrial(base, trial, verb, after) {
  const { verb: name, text, isGrave } = ofTrials[verb];
  const scratch = h("input", { type: "checkbox" });
  const form =
    verb === "retry"
      ? h("label.toggle", null, scratch, "from scratch, without its checkpoint")
      : null;
  const body = () => (verb === "retry" ? { from_scratch: scratch.checked } : {});
  ask(
    {
      title: name + " trial " + trialName(trial),
      text,
      verb: name,
      segments: [...base, "trials", String(trial), verb],
      body,
      form,
      isGrave,
    },
    after,
  );
}

/** @type {Record<string, {verb: string, text: string, isGrave?: boolean}>} */
const ofExperiments = {
  stop: {
    verb: "Stop",
    text: "No more trials start, and those that run are stopped. `tune-node resume` goes on later.",
    isGrave: true,
  },
  pause: {
    verb: "Pause",
    text: "No further trial starts until it is unpaused; those that run go on.",
  },
  unpause: { verb: "Unpause", text: "Trials are started again." },
};

/** @param {string[]} base @param {string} name @param {string} verb @param {() => void} after */
export function askExperiment(base, name, verb, after) {
  const { verb: title, text, isGrave } = ofExperiments[verb];
  ask({ title: title + " " + name, text, verb: title, segments: [...base, verb], isGrave }, after);
}

/** @param {any} parameter @param {any} best its value in the best configuration */
function parameterField(parameter, best) {
  const domain = parameter.domain || {};
  // What depends on others may be left out.
  const first = parameter.conditional ? undefined : (domain.low ?? (domain.values || [])[0]);
  const value = best === undefined ? first : best;
  const input = h("input.mono", {
    name: parameter.name,
    placeholder: parameter.conditional ? "left out" : "",
    "data-conditional": parameter.conditional ? "" : undefined,
    value: value === undefined ? "" : toType(value),
    autocomplete: "off",
    spellcheck: "false",
  });
  return h("label.field", null, h("span", null, plain(parameter.name, 60)), input);
}

/** What is typed: JSON where it is, else a text. @param {string} text */
export function typed(text) {
  try {
    return JSON.parse(text);
  } catch (_) {
    return text;
  }
}

/** What is to be typed for a value, so that `typed` reads the same again. @param {any} value */
export const toType = (value) =>
  typeof value === "string" && value !== "" && typed(value) === value
    ? value
    : JSON.stringify(value);

/** @param {string[]} base @param {any[]} parameters @param {any} best a configuration to begin with @param {() => void} after */
export function askAdd(base, parameters, best, after) {
  const fields = h(
    "div.fields",
    null,
    parameters.map((x) => parameterField(x, best ? parameterOf(best, x.name) : undefined)),
  );
  const body = () => {
    /** @type {Record<string, any>} */
    const config = {};
    fields.querySelectorAll("input").forEach((/** @type {HTMLInputElement} */ x) => {
      const isLeftOut = x.dataset.conditional !== undefined && x.value.trim() === "";
      if (!isLeftOut) config[x.name] = typed(x.value);
    });
    return { config };
  };
  ask(
    {
      title: "Add a trial",
      text: "It is tried next, beside those that the searcher suggests.",
      verb: "Add",
      segments: [...base, "trials"],
      form: fields,
      body,
    },
    after,
  );
}
