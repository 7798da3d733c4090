/** Speaks with the gateway this page came from. */
import { isStored, storedAnswer } from "./stored.js";

/** What the gateway refused, or that it was not reached (status 0). */
export class Fault extends Error {
  /** @param {number} status @param {string} code @param {string} detail */
  constructor(status, code, detail) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/** @type {() => void} */
let onLocked = () => {};

/** @param {() => void} act is called where a request wants a token */
export const whenLocked = (act) => void (onLocked = act);

/**
 * @param {string[]} segments below api/v1/
 * @param {Record<string, any>} [query] without what is empty
 * @returns {string} relative to this page's address, so that it works below any prefix
 */
export function address(segments, query = {}) {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") search.set(key, String(value));
  }
  const text = search.toString();
  return "api/v1/" + segments.map(encodeURIComponent).join("/") + (text ? "?" + text : "");
}

/**
 * How new answers about an experiment have to be: as of this place of its log, or later. Then the
 * server may give several pages the same answer. 0: as of now.
 *
 * @type {(experiment: string) => number}
 */
let enough = () => 0;

/** @param {(experiment: string) => number} tell */
export const whenIsEnough = (tell) => void (enough = tell);

/** When something was changed from here: what is shown next has to have it. [ms] */
let changedAt = -Infinity;

/** @param {string[]} segments @returns {Record<string, string>} */
function sharing(segments) {
  const place = segments[0] === "experiments" && segments.length > 1 ? enough(segments[1]) : 0;
  return place > 0 && performance.now() - changedAt > 2000 ? { "Tune-At-Least": String(place) } : {};
}

/** @param {Response} response @returns {Promise<Fault>} */
async function faultOf(response) {
  let problem = {};
  try {
    problem = await response.json();
  } catch (_) {
    // Not of the gateway: a proxy's page.
  }
  const { code, title, detail } = /** @type {any} */ (problem);
  return new Fault(
    response.status,
    String(code || ""),
    String(detail || title || "the server answers " + response.status),
  );
}

/** @param {string} url @param {RequestInit} options */
async function request(url, options) {
  let response;
  try {
    response = await fetch(url, { credentials: "same-origin", redirect: "error", ...options });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Fault(0, "unreachable", "tune-node does not answer; is it still running?");
  }
  if (response.ok) return response;
  const fault = await faultOf(response);
  if (fault.status === 401) onLocked();
  throw fault;
}

/**
 * Reads JSON. Whole numbers that JavaScript would round become texts of their digits.
 *
 * @param {string} text
 * @returns {any}
 */
export function exactJson(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
  const isRounded = (/** @type {string} */ x) =>
    /^-?\d{16,}$/.test(x) && !Number.isSafeInteger(Number(x));
  return JSON.parse(text.replace(tokens, (x) => (isRounded(x) ? '"' + x + '"' : x)));
}

/**
 * @param {string[]} segments
 * @param {Record<string, any>} [query]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function get(segments, query, signal) {
  if (isStored()) {
    const answer = storedAnswer(segments, query || {});
    if (answer === undefined) throw new Fault(404, "not_stored", "this report does not hold that");
    return answer;
  }
  const response = await request(address(segments, query), {
    signal,
    headers: { Accept: "application/json", ...sharing(segments) },
  });
  return exactJson(await response.text());
}

/**
 * Changes something. A key of its own makes it happen once, even where it is sent twice.
 *
 * @param {string[]} segments
 * @param {any} body
 * @returns {Promise<any>} null where nothing is answered
 */
export async function post(segments, body, method = "POST") {
  changedAt = performance.now();
  const response = await request(address(segments), {
    method,
    headers: { "Content-Type": "application/json", "X-Tune-Node": "1", "Idempotency-Key": key() },
    body: JSON.stringify(body),
  });
  return response.status === 204 ? null : response.json();
}

function key() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (x) => x.toString(16).padStart(2, "0")).join("");
}

/** @param {unknown} error @returns {boolean} */
export const isAborted = (error) => error instanceof DOMException && error.name === "AbortError";

/**
 * Trades the token for this page's cookie.
 *
 * @param {string} token
 */
export const login = (token) => post(["session"], { token });

export const logout = () => post(["session"], {}, "DELETE");
