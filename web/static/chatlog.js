// @ts-check
/**
 * `<chat-log>`: what is said stands in it. It stays at its end while things are added, unless somebody reads further up;
 * then a button says that there is more. Earlier messages are put above without a jump.
 */

const NEAR = 80; // pixels from the end at which somebody counts as being there

class ChatLog extends HTMLElement {
  connectedCallback() {
    this.atEnd = true;
    /** @type {HTMLButtonElement} */
    this.more = document.createElement("button");
    this.more.type = "button";
    this.more.className = "button newer";
    this.more.textContent = "New messages";
    this.more.hidden = true;
    this.more.addEventListener("click", () => this.toEnd());
    this.append(this.more);
    this.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.addEventListener("click", (event) => this.earlier(event));
    new MutationObserver(() => this.changed()).observe(this, { childList: true, subtree: true, characterData: true });
    new ResizeObserver(() => this.atEnd && this.toEnd()).observe(this);
    if (!location.search.includes("before=")) this.toEnd();
  }

  scrolled() {
    this.atEnd = this.scrollHeight - this.scrollTop - this.clientHeight < NEAR;
    if (this.atEnd) this.more.hidden = true;
  }

  changed() {
    if (this.atEnd) this.scrollTop = this.scrollHeight;
    else if (this.height !== this.scrollHeight) this.more.hidden = false;
    this.height = this.scrollHeight;
  }

  toEnd() {
    this.scrollTop = this.scrollHeight;
    this.height = this.scrollHeight;
    this.atEnd = true;
    this.more.hidden = true;
  }

  /** @param {Event} event */
  async earlier(event) {
    const link = event.target instanceof Element ? event.target.closest("a#earlier") : null;
    const items = this.querySelector("#items");
    if (!(link instanceof HTMLAnchorElement) || !items) return;
    event.preventDefault();
    try {
      const answer = await fetch(link.href, { headers: { accept: "text/html" } });
      if (!answer.ok) throw new Error(String(answer.status));
      const page = new DOMParser().parseFromString(markup(await answer.text()), "text/html");
      const from = this.scrollHeight - this.scrollTop;
      items.prepend(...(page.querySelector("#items")?.children ?? []));
      const next = page.querySelector("a#earlier");
      if (next) link.href = new URL(next.getAttribute("href") ?? "", location.href).href;
      else link.parentElement?.remove();
      this.scrollTop = this.scrollHeight - from;
      this.height = this.scrollHeight;
      this.more.hidden = true;
    } catch {
      location.assign(link.href);
    }
  }
}

/** @type {{createHTML: (html: string) => any} | undefined} */
const policy = /** @type {any} */ (window).trustedTypes?.createPolicy("conch-log", {
  createHTML: (/** @type {string} */ html) => html,
});

/**
 * @param {string} html a page of our own server's
 * @returns {any}
 */
function markup(html) {
  return policy ? policy.createHTML(html) : html;
}

customElements.define("chat-log", ChatLog);
