/** What this is, and whose work is in it. */
import { logout } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { plain } from "../core/format.js";
import { follow, panel } from "../core/parts.js";

/** @param {HTMLElement} host @param {any} ctx */
export function mount(host, ctx) {
  const { node, body } = panel("About");
  host.appendChild(node);
  const leave = async () => {
    await logout().catch(() => null);
    location.reload();
  };
  body.append(
    h(
      "p",
      null,
      "The dashboard of tune-node. All that it shows comes from the machine that serves it; it asks no other.",
    ),
    h("p", null, h("button", { type: "button", onclick: leave }, "Log out")),
  );
  const version = panel("Version");
  const licences = panel("Licences");
  host.append(version.node, licences.node);
  follow(ctx, version.body, {
    still: true,
    fetch: async () => (await fetch("version", { signal: ctx.signal })).json(),
    show: (x, place) =>
      fill(place, h("p", null, "tune-node " + plain(x.version, 100) + ", API " + plain(x.api, 20))),
  });
  follow(ctx, licences.body, {
    still: true,
    fetch: async () =>
      (
        await fetch(new URL("../licences.txt", import.meta.url).href, { signal: ctx.signal })
      ).text(),
    show: (text, place) => fill(place, h("pre.licence", { tabindex: "0" }, text)),
  });
}
