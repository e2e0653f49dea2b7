// @ts-check
/**
 * What a chat's page does by itself: it follows the live stream and puts patches in place, sends forms without leaving
 * the page, and keeps what somebody is typing, has ticked or opened. Without it every form still works.
 *
 * The markup comes from our own server alone, which escaped whatever others wrote; that is the one policy below.
 */

import "./chatlog.js";
import { attaching } from "./attach.js";
import { slashMenu } from "./slash.js";

/** @typedef {[target: string, how: "append" | "morph" | "remove", html: string]} Patch */

const HIDDEN_FOR = 10_000; // milliseconds after which a page that nobody sees lets go of its line
const MOST_WAIT = 15_000;

/** @type {{createHTML: (html: string) => any}} */
const policy = /** @type {any} */ (window).trustedTypes?.createPolicy("conch", {
  createHTML: (/** @type {string} */ html) => html,
}) ?? { createHTML: (html) => html };

/**
 * @param {string} html markup of one element
 * @returns {Element | null}
 */
function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = policy.createHTML(html);
  return template.content.firstElementChild;
}

// ---- patches --------------------------------------------------------------------------------------------------------

/** @param {Patch[]} patches */
export function apply(patches) {
  for (const [target, how, html] of patches) {
    const found = document.getElementById(target);
    if (!found) continue;
    if (how === "remove") {
      found.remove();
      continue;
    }
    const next = parsed(html);
    if (!next) continue;
    const same = how === "append" ? document.getElementById(next.id) : found;
    if (same) morph(same, next);
    else found.append(next);
  }
}

/**
 * Make an element like another, and keep what a person did in it.
 * @param {Element} from
 * @param {Element} to
 */
function morph(from, to) {
  if (from.nodeName !== to.nodeName || from.id !== to.id) {
    from.replaceWith(to);
    return;
  }
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !(name === "open" && from.nodeName === "DETAILS")) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (name === "open" && from.nodeName === "DETAILS") continue;
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
  if (from.nodeName !== "TEXTAREA") morphChildren(from, to);
}

/**
 * @param {Element} from
 * @param {Element} to
 */
function morphChildren(from, to) {
  /** @type {ChildNode | null} */
  let at = from.firstChild;
  for (const next of [...to.childNodes]) {
    const match = matching(from, at, next);
    if (!match) {
      from.insertBefore(next, at);
      continue;
    }
    if (match !== at) from.insertBefore(match, at);
    at = match.nextSibling;
    if (match instanceof Element && next instanceof Element) morph(match, next);
    else if (match.nodeValue !== next.nodeValue) match.nodeValue = next.nodeValue;
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

/**
 * @param {Element} from
 * @param {ChildNode | null} at
 * @param {ChildNode} next
 * @returns {ChildNode | null}
 */
function matching(from, at, next) {
  const id = next instanceof Element ? next.id : "";
  if (id) return [...from.children].find((child) => child.id === id) ?? null;
  const alike = at && at.nodeName === next.nodeName && !(at instanceof Element && at.id);
  return alike ? at : null;
}

// ---- the line -------------------------------------------------------------------------------------------------------

/** Follows the stream; lets go of it while nobody looks, and takes it up again where it was. */
class Line {
  /** @param {string} address with `after` */
  constructor(address) {
    this.address = new URL(address, location.href);
    /** @type {EventSource | null} */
    this.source = null;
    this.wait = 500;
    this.timer = 0;
    document.addEventListener("visibilitychange", () => this.seen());
    addEventListener("pageshow", (event) => event.persisted && this.open());
    addEventListener("online", () => this.open());
    addEventListener("pagehide", () => this.close());
    this.open();
  }

  seen() {
    clearTimeout(this.timer);
    if (document.hidden) this.timer = setTimeout(() => this.close(), HIDDEN_FOR);
    else if (!this.source) this.open();
  }

  open() {
    if (this.source) return;
    const source = new EventSource(this.address);
    this.source = source;
    source.addEventListener("hello", (event) => this.hello(JSON.parse(event.data)));
    source.addEventListener("reload", () => location.reload());
    source.addEventListener("patches", (event) => {
      apply(JSON.parse(event.data));
      if (event.lastEventId) this.address.searchParams.set("after", event.lastEventId);
    });
    source.onerror = () => this.lost();
  }

  close() {
    this.source?.close();
    this.source = null;
  }

  /** @param {{version: string}} told */
  hello({ version }) {
    this.wait = 500;
    document.getElementById("line")?.toggleAttribute("hidden", true);
    if (version !== document.body.dataset.version) location.reload();
  }

  async lost() {
    this.close();
    document.getElementById("line")?.toggleAttribute("hidden", false);
    this.wait = Math.min(this.wait * 2, MOST_WAIT);
    clearTimeout(this.timer);
    if (await signedOut()) location.reload();
    else this.timer = setTimeout(() => document.hidden || this.open(), this.wait);
  }
}

/** @returns {Promise<boolean>} whether the server is there and does not know us any more */
async function signedOut() {
  try {
    const answer = await fetch(location.href, { redirect: "manual", headers: { accept: "text/html" } });
    return answer.status === 401 || answer.type === "opaqueredirect";
  } catch {
    return false;
  }
}

// ---- forms ----------------------------------------------------------------------------------------------------------

/**
 * Send a form, and put what comes of it into the page.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 */
async function send(form, submitter) {
  const data = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter)) data.append(name, String(value));
  const buttons = [...form.querySelectorAll("button")];
  for (const button of buttons) button.disabled = true;
  try {
    const headers = { "x-conch-live": "1", accept: "text/html" };
    const answer = await fetch(form.action, { method: "POST", body: data, headers });
    await take(form, answer);
  } catch {
    fault(form, "It did not get through. What you wrote is still here: try again.");
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {Response} answer
 */
async function take(form, answer) {
  const where = answer.headers.get("x-conch-go");
  const theme = answer.headers.get("x-conch-theme");
  if (theme === "system") delete document.documentElement.dataset.theme;
  else if (theme) document.documentElement.dataset.theme = theme;
  if (answer.status === 401) location.reload();
  const html = answer.headers.get("content-type")?.startsWith("text/html") ? await answer.text() : "";
  const told = html ? parsed(html) : null;
  if (answer.ok) {
    sent(form);
    if (told?.id === "told") show(told);
    else document.getElementById("told")?.toggleAttribute("hidden", true);
    if (where) location.assign(where);
  } else if (told?.id === "told") {
    form.querySelector(".fault") ? fault(form, told.textContent?.trim() ?? "") : show(told);
  } else {
    fault(form, "That did not work. What you wrote is still here: try again.");
  }
}

/** @param {Element} told what a command came to */
function show(told) {
  const here = document.getElementById("told");
  if (!here) return;
  here.replaceWith(told);
  const copied = told.querySelector("textarea[data-copy]");
  if (copied instanceof HTMLTextAreaElement) navigator.clipboard?.writeText(copied.value).catch(() => copied.select());
}

/**
 * @param {HTMLFormElement} form
 * @param {string} words
 */
function fault(form, words) {
  const place = form.querySelector(".fault") ?? document.getElementById("told");
  if (!place) return;
  place.textContent = words;
  place.toggleAttribute("hidden", false);
}

/** @param {HTMLFormElement} form one that did its work */
function sent(form) {
  const place = form.querySelector(".fault");
  if (place) place.textContent = "";
  if (form.id !== "compose") return;
  form.reset();
  renew(form);
  document.getElementById("log")?.scrollTo({ top: 1e9 });
}

/**
 * The next message is another one; the same one sent once more is not.
 * @param {HTMLFormElement} form
 */
function renew(form) {
  const id = form.elements.namedItem("client_id");
  if (id instanceof HTMLInputElement) id.value = [...crypto.getRandomValues(new Uint8Array(16))].join("-");
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !("live" in form.dataset)) return;
  event.preventDefault();
  send(form, event.submitter);
});

// ---- the field ------------------------------------------------------------------------------------------------------

const compose = document.getElementById("compose");
if (compose instanceof HTMLFormElement) {
  const words = /** @type {HTMLTextAreaElement} */ (compose.elements.namedItem("text"));
  const menu = slashMenu(compose, words);
  const files = attaching(compose, words, (said) => fault(compose, said));
  compose.addEventListener("reset", () => files.clear());
  renew(compose);
  words.addEventListener("keydown", (event) => {
    if (menu.keydown(event) || event.isComposing || event.key !== "Enter" || event.shiftKey) return;
    if (matchMedia("(pointer: coarse)").matches) return; // there Enter begins a line, and the button sends
    event.preventDefault();
    if (words.value.trim() || files.any()) compose.requestSubmit();
  });
}

const { live } = document.body.dataset;
if (live) new Line(live);
