// @ts-check
// Elements are made one by one and text is set as text: nothing here reads markup.

/**
 * Returns an element; properties are attributes, functions among them listeners ("onclick").
 *
 * @param {string} tag
 * @param {Properties} properties
 * @param {...Child} children
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(name, String(value));
    }
  }
  made.append(...present(children));
  return made;
}

/** @param {Child[]} children */
function present(children) {
  return children.filter((child) => child !== null && child !== "").map((child) => child ?? "");
}

/**
 * Returns an element of the frame, which is always there.
 *
 * @param {string} id
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}

/** @param {string} id */
export function fieldOf(id) {
  return /** @type {HTMLInputElement} */ (byId(id));
}

/** @param {string} id */
export function dialogOf(id) {
  return /** @type {HTMLDialogElement} */ (byId(id));
}

/** @param {string} id */
export function buttonOf(id) {
  return /** @type {HTMLButtonElement} */ (byId(id));
}

/**
 * Returns all elements that a selector finds, as HTML elements.
 *
 * @param {string} selector
 * @param {ParentNode} within
 * @returns {HTMLElement[]}
 */
export function allOf(selector, within = document) {
  return [...within.querySelectorAll(selector)].map((each) => /** @type {HTMLElement} */ (each));
}

/**
 * @param {number} count
 * @param {string} noun
 */
export function plural(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Calls back once for all calls of a frame.
 *
 * @param {() => void} callback
 */
export function oncePerFrame(callback) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      callback();
    });
  };
}
