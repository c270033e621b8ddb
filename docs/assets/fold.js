// @ts-check
// On a phone, a long page of the site begins as the list of its sections: a tap unfolds one.
// A link into a section, and the search of the browser, unfold it by themselves.
"use strict";

(() => {
  const NARROW = "(max-width: 44.9375em)"; // where the theme has one column
  const LONG = 8; // screens

  /**
   * Puts what follows a heading, up to the next one of its rank or above, into a `details`.
   * @param {HTMLElement} heading
   */
  function fold(heading) {
    const rank = Number(heading.tagName.slice(1));
    const body = [];
    for (let next = heading.nextElementSibling; next; next = next.nextElementSibling) {
      const other = /^H([1-6])$/.exec(next.tagName);
      if (other && Number(other[1]) <= rank) break;
      body.push(next);
    }
    if (!body.length) return;
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    details.className = "fold";
    // A link inside of what opens a section cannot be reached by assistive technology.
    heading.querySelector(".headerlink")?.remove();
    heading.before(details);
    summary.append(heading);
    details.append(summary, ...body);
  }

  /** Unfolds what the address points to. */
  function show() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let each = target.closest("details"); each; each = each.parentElement?.closest("details") ?? null) {
      each.open = true;
    }
    target.scrollIntoView();
  }

  const page = document.querySelector(".md-content__inner");
  if (!page || !matchMedia(NARROW).matches || page.scrollHeight < LONG * innerHeight) return;
  for (const rank of ["h3", "h2"]) {
    /** @type {NodeListOf<HTMLElement>} */
    const headings = page.querySelectorAll(`:scope > ${rank}`);
    headings.forEach(fold);
  }
  addEventListener("hashchange", show);
  show();
})();
