/** What a trial writes, as it writes it. */
import { address, get } from "../core/api.js";
import { h } from "../core/dom.js";
import { bytes, plainLines } from "../core/format.js";
import { choice, panel, toggle } from "../core/parts.js";
import { adjust, here } from "../core/route.js";

/** Characters that are kept on the page; more makes it slow, and is in the file. */
const most = 400000;

class Log {
  /** @param {any} ctx @param {string} t */
  constructor(ctx, t) {
    this.ctx = ctx;
    this.segments = [...ctx.base, "trials", t, "logs"];
    this.text = h("pre.log", { tabindex: "0", role: "log", "aria-label": "Log" });
    this.said = h("p.quiet", null);
    this.isFollowed = true;
    /** @type {EventSource | null} */
    this.source = null;
    ctx.signal.addEventListener("abort", () => this.stop());
  }

  /** @param {any} part of the log, as the server tells it */
  add(part) {
    const { text } = this;
    const isAtEnd = text.scrollTop + text.clientHeight >= text.scrollHeight - 30;
    text.append(plainLines(String(part.text || "")));
    if (text.textContent.length > most) text.textContent = text.textContent.slice(-most / 2);
    this.said.textContent = text.textContent ? bytes(part.bytes) : "It has written nothing there.";
    if (isAtEnd && this.isFollowed) text.scrollTop = text.scrollHeight;
  }

  stop() {
    if (this.source) this.source.close();
    this.source = null;
  }

  async start() {
    this.stop();
    this.text.textContent = "";
    const stream = here().stream === "stderr" ? "stderr" : "stdout";
    const { signal } = this.ctx;
    try {
      const part = await get(this.segments, { stream, offset: -65536 }, signal);
      if (signal.aborted) return;
      this.add(part);
      this.text.scrollTop = this.text.scrollHeight;
      if (this.ctx.about.live !== false) this.listen(stream, part.next_offset);
    } catch (error) {
      if (!signal.aborted) this.said.textContent = error instanceof Error ? error.message : "";
    }
  }

  /** @param {string} stream @param {number} offset */
  listen(stream, offset) {
    const source = new EventSource(address(this.segments, { stream, offset }));
    this.source = source;
    let next = offset;
    source.addEventListener("log", (event) => {
      const part = JSON.parse(event.data);
      next = part.next_offset;
      this.add(part);
    });
    source.addEventListener("end", () => this.stop());
    // A browser would begin again where the address says, and not where this has come to.
    source.onerror = () => {
      source.close();
      const isOver = this.ctx.signal.aborted || this.source !== source;
      if (!isOver) setTimeout(() => this.source === source && this.listen(stream, next), 2000);
    };
  }
}

/** @type {Array<[string, string]>} */
const streams = [
  ["stdout", "stdout"],
  ["stderr", "stderr"],
];

/** @param {any} ctx @param {HTMLElement} host @param {string} t */
export function logPanel(ctx, host, t) {
  const log = new Log(ctx, t);
  const tools = [
    choice("Stream", here().stream || "stdout", streams, (stream) => {
      adjust({ stream: stream === "stdout" ? "" : stream });
      log.start();
    }),
    toggle("follow", true, (value) => (log.isFollowed = value)),
  ];
  const { node, body } = panel("Log", tools);
  body.append(log.text, log.said);
  host.appendChild(node);
  log.start();
}
