/** Makes elements. Texts become text nodes and nothing else: what the server says is never markup. */

/** @typedef {Node | string | number | null | undefined | false | Array<any>} Child */

/**
 * @param {Node} parent
 * @param {Child} child
 */
function append(parent, child) {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) child.forEach((x) => append(parent, x));
  else parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
}

/**
 * @param {any} element
 * @param {string} name
 * @param {any} value
 */
function put(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "style") {
    for (const [key, x] of Object.entries(value)) element.style.setProperty(key, String(x));
  } else if (name in element && !name.includes("-") && typeof value === "boolean")
    element[name] = value;
  else element.setAttribute(name, value === true ? "" : String(value));
}

/**
 * An element: `h("td.number", {title: "…"}, "1.5")`.
 *
 * @param {string} spec name and classes
 * @param {Record<string, any> | null} attributes `on…` are listeners, `style` is a table
 * @param {...Child} children
 * @returns {any}
 */
export function h(spec, attributes, ...children) {
  const [name, ...classes] = spec.split(".");
  const element = document.createElement(name);
  if (classes.length > 0) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes || {})) put(element, key, value);
  append(element, children);
  return element;
}

/**
 * Gives `element` these children instead of those it has.
 *
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.textContent = "";
  append(element, children);
}

/** @param {string} name a custom property of the style sheet @returns {string} */
export function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/**
 * Calls `act` once in the next frame, however often it is asked to.
 *
 * @param {() => void} act
 * @returns {() => void}
 */
export function onceAFrame(act) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      act();
    });
  };
}
