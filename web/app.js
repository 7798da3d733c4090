/** The dashboard: which view is shown, and what is around it. */
import { get, isAborted, whenIsEnough, whenLocked } from "./core/api.js";
import { fill, h } from "./core/dom.js";
import { Line } from "./core/live.js";
import { startKeys } from "./core/keys.js";
import { login } from "./core/login.js";
import { faultBox } from "./core/parts.js";
import { followLinks, go, here, onRoute } from "./core/route.js";
import { rail, topBar } from "./core/shell.js";
import { startTheme } from "./core/theme.js";
import { views } from "./views.js";

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
const line = new Line((state) => topBar.line(state), beginAnew);
whenIsEnough((experiment) => line.place(experiment));

/** @type {AbortController} */
let opened = new AbortController();
/** The experiment's own page, as it was last fetched. @type {any} */
let about = null;
let isLocked = false;

/** @param {string} e @param {AbortSignal} signal */
async function aboutOf(e, signal) {
  if (about && about.name === e) return about;
  about = null;
  const found = { ...(await get(["experiments", e], {}, signal)) };
  found.name = e;
  return found;
}

/** Takes over what a message of the live line says already. @param {import("./core/live.js").Change} change */
function hear(change) {
  if (!about) return;
  if (change.counts) about.trials = { ...about.trials, ...change.counts };
  if (change.best !== undefined) about.best = change.best;
  if (change.status !== undefined) about.status = change.status;
  if (change.live !== undefined) about.live = change.live;
  if (change.last_seq !== undefined) about.last_seq = change.last_seq;
  topBar.experiment(about);
}

/** @param {Record<string, string>} route */
function viewOf(route) {
  const asked = views.find((x) => x.name === route.view);
  if (asked && (!asked.inside || route.e)) return asked;
  return views.find((x) => x.name === (route.e ? "overview" : "experiments")) || views[0];
}

async function show() {
  if (isLocked) return;
  opened.abort();
  opened = new AbortController();
  const { signal } = opened;
  const route = here();
  const view = viewOf(route);
  rail(route, view);
  topBar.place(route, view);
  document.title = [view.title, route.t, route.e, "tune-node"].filter(Boolean).join(" · ");
  fill(
    page,
    h("div.state", { role: "status" }, h("span.spinner", { "aria-hidden": "true" }), "Loading…"),
  );
  page.dataset.view = view.name;
  try {
    await open(view, route, signal);
  } catch (error) {
    if (!isAborted(error) && !signal.aborted) fill(page, faultBox(error, show));
  }
}

/** @param {import("./views.js").View} view @param {Record<string, string>} route @param {AbortSignal} signal */
async function open(view, route, signal) {
  if (route.e) {
    const found = await aboutOf(route.e, signal);
    if (signal.aborted) return;
    about = found;
    line.open(
      route.e,
      Number(about.last_seq) || 0,
      about.live !== false,
      Number(about.created_ms) || 0,
    );
    line.listen(hear, signal);
    topBar.experiment(about);
  } else {
    about = null;
    line.close();
    topBar.experiment(null);
  }
  const body = h("div.view", null);
  const context = {
    route,
    signal,
    line,
    base: ["experiments", route.e || ""],
    get about() {
      return about;
    },
    renew: (/** @type {any} */ x) => (about = { ...x, name: route.e }),
  };
  fill(page, h("h1.visually-hidden", null, view.title), body);
  view.mount(body, context);
}

/** Nothing that is known of the experiment holds any more: it was run again in its place. */
function beginAnew() {
  about = null;
  line.close();
  show();
}

function unlock() {
  isLocked = false;
  show();
}

whenLocked(() => {
  if (isLocked) return;
  isLocked = true;
  line.close();
  opened.abort();
  login(page, unlock);
});

/** A link's `#token=…` never leaves the browser; it is traded for a cookie and taken from the address. */
async function begin() {
  startTheme();
  topBar.start();
  followLinks();
  startKeys();
  onRoute(show);
  addEventListener("hashchange", takeToken);
  if (!takeToken()) show();
}

/** @returns {boolean} whether the address had one */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return false;
  go(here(), { replace: true, quiet: true });
  isLocked = true;
  opened.abort();
  login(page, unlock, token);
  return true;
}

begin();
