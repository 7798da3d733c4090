/** What a trial writes, as it writes it. */
import { address, get } from "../core/api.js";
import { h } from "../core/dom.js";
import { bytes, plainLines } from "../core/format.js";
import { choice, panel, toggle } from "../core/parts.js";
import { adjust, here } from "../core/route.js";

/** Characters that are kept on the page; more makes it slow, and is in the file. */
const most = 400000;

/** @param {any} ctx @param {HTMLElement} host @param {string} t */
export function logPanel(ctx, host, t) {
  const text = h("pre.log", { tabindex: "0", role: "log", "aria-label": "Log" });
  const said = h("p.quiet", null);
  /** @type {EventSource | null} */
  let source = null;
  let isFollowed = true;
  const add = (/** @type {any} */ part) => {
    const isAtEnd = text.scrollTop + text.clientHeight >= text.scrollHeight - 30;
    text.append(plainLines(String(part.text || "")));
    if (text.textContent.length > most) text.textContent = text.textContent.slice(-most / 2);
    said.textContent = text.textContent ? bytes(part.bytes) : "It has written nothing there.";
    if (isAtEnd && isFollowed) text.scrollTop = text.scrollHeight;
  };
  const segments = [...ctx.base, "trials", t, "logs"];
  const stop = () => source && source.close();
  const start = async () => {
    stop();
    text.textContent = "";
    const stream = here().stream === "stderr" ? "stderr" : "stdout";
    try {
      const part = await get(segments, { stream, offset: -65536 }, ctx.signal);
      if (ctx.signal.aborted) return;
      add(part);
      text.scrollTop = text.scrollHeight;
      if (ctx.about.live !== false) listen(stream, part.next_offset);
    } catch (error) {
      if (!ctx.signal.aborted) said.textContent = error instanceof Error ? error.message : "";
    }
  };
  const listen = (/** @type {string} */ stream, /** @type {number} */ offset) => {
    source = new EventSource(address(segments, { stream, offset }));
    const hear = (/** @type {MessageEvent} */ event) => {
      try {
        add(JSON.parse(event.data));
      } catch (_) {
        // A message of another version: the text is in the file.
      }
    };
    source.onmessage = hear;
    source.addEventListener("log", hear);
    source.addEventListener("end", stop);
  };
  const tools = [
    choice("Stream", here().stream || "stdout", [["stdout", "stdout"], ["stderr", "stderr"]], (stream) => {
      adjust({ stream: stream === "stdout" ? "" : stream });
      start();
    }),
    toggle("follow", true, (value) => (isFollowed = value)),
  ];
  const { node, body } = panel("Log", tools);
  body.append(text, said);
  host.appendChild(node);
  ctx.signal.addEventListener("abort", stop);
  start();
}
