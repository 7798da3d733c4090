/** Colours that people with any kind of colour vision tell apart (Okabe and Ito), in both themes. */
import { css } from "../core/dom.js";

const hues = 8;

/** @param {number} n @returns {string} the n-th colour of a series, again from the first after eight */
export const hue = (n) => css("--hue-" + (((n % hues) + hues) % hues));

/** @type {Record<string, string>} */
const ofStatus = {
  PENDING: "--pending",
  RUNNING: "--running",
  PAUSED: "--paused",
  TERMINATED: "--done",
  ERRORED: "--bad",
};

/** @param {string} status @returns {string} */
export const statusColour = (status) => css(ofStatus[status] || "--muted");

/** @type {Record<string, string>} */
const ofEnd = {
  finished: "--done",
  stopped: "--cut",
  paused: "--paused",
  preempted: "--paused",
  interrupted: "--paused",
  node_lost: "--lost",
};

/** How an attempt ended, as a colour. @param {string | null} end */
export const endColour = (end) => css(!end ? "--running" : ofEnd[end] || "--bad");

/**
 * A colour of a value between 0 and 1, 1 being the best: dark to light on dark pages, light to dark
 * on light ones, so that the best stand out.
 *
 * @param {number} part
 */
export function shade(part) {
  const isDark = css("--is-dark") === "1";
  const x = Math.min(1, Math.max(0, Number.isFinite(part) ? part : 0));
  return d3.interpolateCividis(isDark ? 0.25 + 0.75 * x : 0.9 - 0.9 * x);
}
