/** Answers that lie in the page itself, where no gateway is: those of a report. */

/**
 * @typedef {object} Stored
 * @property {string} part what follows the experiment's name in the path; "" is the experiment itself
 * @property {Record<string, string>} query what the question must say for this answer to fit
 * @property {any} answer
 */

/** By the name of the experiment. @type {Map<string, Stored[]> | null} */
let kept = null;

/** @param {Map<string, Stored[]>} all from now on the only answers there are */
export const useStored = (all) => void (kept = all);

/** @returns {boolean} whether this page asks nobody */
export const isStored = () => kept !== null;

/**
 * @param {string[]} segments as of a request
 * @param {Record<string, any>} query
 * @returns {any} undefined: it was not stored
 */
export function storedAnswer(segments, query) {
  const [, experiment, ...part] = segments;
  const fits = (/** @type {Stored} */ x) =>
    x.part === part.join("/") &&
    Object.entries(x.query).every(([key, value]) => String(query[key]) === value);
  const found = ((kept && kept.get(experiment)) || []).find(fits);
  return found && found.answer;
}
