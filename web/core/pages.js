/** A list that the server hands out page by page, with buttons to turn them. */
import { h } from "./dom.js";
import { follow } from "./parts.js";

/**
 * @param {import("./parts.js").Context} ctx
 * @param {HTMLElement} host
 * @param {{fetch: (cursor: string) => Promise<any>, show: (data: any, body: HTMLElement) => void,
 *   empty?: (data: any) => any, every?: number, still?: boolean}} source as of `follow`; what is
 *   fetched has a `next_cursor`
 * @returns {() => void} fetches and shows once more
 */
export function pages(ctx, host, source) {
  let cursors = [""];
  const more = h("button", { type: "button", hidden: true }, "Next page");
  const first = h("button", { type: "button", hidden: true }, "First page");
  const place = h("div", null);
  host.append(place, h("div.buttons", null, first, more));
  const reload = follow(ctx, place, {
    ...source,
    fetch: () => source.fetch(cursors[cursors.length - 1]),
    show: (data, body) => {
      more.hidden = !data.next_cursor;
      first.hidden = cursors.length < 2;
      more.onclick = () => {
        cursors.push(data.next_cursor);
        reload();
      };
      source.show(data, body);
    },
  });
  first.onclick = () => {
    cursors = [""];
    reload();
  };
  return reload;
}
