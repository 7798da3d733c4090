/** The page that asks for the token. */
import { Fault, login as trade } from "./api.js";
import { fill, h } from "./dom.js";
import { plain } from "./format.js";

/**
 * @param {HTMLElement} page
 * @param {() => void} done
 * @param {string} [token] is tried at once
 */
export function login(page, done, token) {
  const said = h("div.outcome", { role: "alert" });
  const input = h("input.mono", { type: "password", id: "token", autocomplete: "off", spellcheck: "false", required: true });
  const enter = async (/** @type {string} */ text) => {
    fill(said, "…");
    try {
      await trade(text.trim());
      done();
    } catch (error) {
      const isWrong = error instanceof Fault && (error.status === 401 || error.status === 403);
      fill(said, isWrong ? "This is not the token of this server." : plain(error instanceof Error ? error.message : "", 300));
      input.focus();
    }
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    enter(input.value);
  };
  fill(
    page,
    h("form.login", { onsubmit: submit }, h("h1", null, "tune-node"), h("p", null, "Open the link that ", h("code", null, "tune-node serve"), " has printed, or enter its token."), h("label.field", { for: "token" }, h("span", null, "Token"), input), said, h("button.main", { type: "submit" }, "Enter")),
  );
  if (token) enter(token);
  else input.focus();
}
