/** Follows one experiment's changes, and tells views at most once per frame. */
import { address } from "./api.js";
import { onceAFrame } from "./dom.js";

/**
 * @typedef {object} Change what happened since the last call
 * @property {number} [last_seq]
 * @property {number} [created_ms] when the record was made: tells it from one that took its place
 * @property {Record<string, number>} [counts]
 * @property {any} [best]
 * @property {any[]} changed trials; the server names up to 200 of a message's
 * @property {boolean} [live]
 * @property {string} [status]
 */

/** @typedef {"off" | "waiting" | "live" | "ended"} LineState */

/** Adds a message to what was not told yet. @param {Change | null} old @param {any} next @returns {Change} */
export function merge(old, next) {
  const changed = new Set([
    ...(old ? old.changed : []),
    ...(Array.isArray(next.changed) ? next.changed : []),
  ]);
  return { ...(old || {}), ...next, changed: [...changed] };
}

export class Line {
  /**
   * @param {(state: LineState) => void} onState
   * @param {() => void} onAnother what was opened is gone, or another record has taken its place
   */
  constructor(onState, onAnother = () => {}) {
    /** @type {Set<(change: Change) => void>} */
    this.listeners = new Set();
    /** @type {EventSource | null} */
    this.source = null;
    this.experiment = "";
    this.seq = 0;
    this.record = 0;
    /** @type {Change | null} */
    this.untold = null;
    this.wait = 0;
    this.timer = 0;
    this.isLive = true;
    /** The server's clock when it last told something, and this page's then. [ms] */
    this.told = { at: NaN, here: 0 };
    this.onState = onState;
    this.onAnother = onAnother;
    document.addEventListener("visibilitychange", () => this.turn());
    this.tell = onceAFrame(() => {
      const change = this.untold;
      this.untold = null;
      if (change) this.listeners.forEach((x) => x(change));
    });
  }

  /**
   * @param {string} experiment
   * @param {number} seq the last change that is known
   * @param {number} record when the record was made [ms]; 0: whichever is there
   */
  open(experiment, seq, isLive = true, record = 0) {
    if (experiment === this.experiment) return;
    this.close();
    this.experiment = experiment;
    this.seq = seq;
    this.record = record;
    this.isLive = isLive;
    this.connect();
  }

  close() {
    if (this.source) this.source.close();
    clearTimeout(this.timer);
    this.source = null;
    this.untold = null;
    this.experiment = "";
    this.told = { at: NaN, here: 0 };
    this.onState("off");
  }

  /** Pages that nobody sees listen to nothing: a browser has few connections to one server. */
  turn() {
    if (!this.experiment) return;
    if (document.hidden) {
      clearTimeout(this.timer);
      if (this.source) this.source.close();
      this.source = null;
    } else if (!this.source) this.connect();
  }

  connect() {
    if (document.hidden) return;
    this.onState(this.isLive ? "waiting" : "ended");
    const source = new EventSource(
      address(["experiments", this.experiment, "events"], {
        since: this.record ? `${this.seq}@${this.record}` : this.seq,
      }),
    );
    this.source = source;
    source.onopen = () => {
      this.wait = 0;
      this.onState(this.isLive ? "live" : "ended");
    };
    source.addEventListener("change", (event) => this.hear(event.data));
    source.addEventListener("gone", () => this.onAnother());
    source.onerror = () => {
      if (this.source !== source) return;
      this.onState(this.isLive ? "waiting" : "ended");
      if (source.readyState === EventSource.CLOSED) this.connectLater();
    };
  }

  /** A browser gives up where the answer is not a stream: a proxy's, or a server's that starts. */
  connectLater() {
    this.wait = Math.min(30000, this.wait ? 2 * this.wait : 1000);
    this.timer = window.setTimeout(() => this.experiment && this.connect(), this.wait);
  }

  /** @param {string} text */
  hear(text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch (_) {
      return;
    }
    if (typeof message.created_ms === "number" && message.created_ms !== this.record) {
      const isAnother = this.record !== 0;
      this.record = message.created_ms;
      if (isAnother) return this.onAnother();
    }
    if (typeof message.last_seq === "number") this.seq = message.last_seq;
    if (typeof message.at_ms === "number")
      this.told = { at: message.at_ms, here: performance.now() };
    this.untold = merge(this.untold, message);
    if (typeof message.live === "boolean" && message.live !== this.isLive) {
      this.isLive = message.live;
      this.onState(this.isLive ? "live" : "ended");
    }
    this.tell();
  }

  /** The server's clock [ms], by which all its pages ask at the same moments; NaN: it told none. */
  clock() {
    return this.told.at + (performance.now() - this.told.here);
  }

  /** The newest place of the log that is known. @param {string} experiment */
  place(experiment) {
    return experiment !== "" && experiment === this.experiment ? this.seq : 0;
  }

  /** @param {(change: Change) => void} act @param {AbortSignal} signal ends it */
  listen(act, signal) {
    this.listeners.add(act);
    signal.addEventListener("abort", () => this.listeners.delete(act));
  }
}
