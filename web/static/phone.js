// The chat on the pretend phone: what the person sees of it, drawn from what the pretend app says is there.
// It knows no network; what a tap does is handed in.

import { formatted } from "./formatted.js";

const TIME = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" });
const NEAR_END = 120;
const DRAFT_SECONDS = 30;
const ACTION_SECONDS = 6;

/** @param {string} tag @param {Record<string, string>} [given] @param {...(Node|string)} children */
export function make(tag, given = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export class Phone {
  /**
   * @param {{list: HTMLElement, doing: HTMLElement, aloud: HTMLElement}} parts
   * @param {{press: Function, reply: Function, edit: Function, forward: Function, say: Function, file: Function}} does
   */
  constructor(parts, does) {
    this.parts = parts;
    this.does = does;
    this.person = null;
    this.messages = new Map();
    this.nodes = new Map();
    this.draft = null;
    this.timers = {};
  }

  /** Show a person's screen from scratch. */
  show(person, screen) {
    this.person = person;
    this.messages = new Map(screen.messages.map((message) => [message.id, message]));
    this.nodes.clear();
    this.parts.list.replaceChildren();
    for (const message of this.messages.values()) this.place(message);
    this.setDraft(screen.draft);
    this.setAction(screen.action);
    this.empty();
    this.toEnd();
  }

  /** A message is there, or says something else now. */
  put(message) {
    const stays = this.isAtEnd() || !message.by_bot;
    const isNew = !this.messages.has(message.id);
    this.messages.set(message.id, message);
    this.place(message);
    if (message.by_bot && isNew) {
      this.setDraft(null);
      this.setAction(null);
      this.parts.aloud.textContent = `${message.sender}: ${message.text || (message.file && message.file.name) || ""}`;
    }
    this.empty();
    if (stays) this.toEnd();
  }

  /** A message is gone. */
  drop(id) {
    this.messages.delete(id);
    this.nodes.get(id)?.remove();
    this.nodes.delete(id);
    this.empty();
  }

  /** The answer that is being written, or null. */
  setDraft(draft) {
    clearTimeout(this.timers.draft);
    const stays = this.isAtEnd();
    this.draft?.remove();
    this.draft = draft && draft.text ? this.drawDraft(draft) : null;
    if (this.draft) {
      this.parts.list.append(this.draft);
      this.timers.draft = setTimeout(() => this.setDraft(null), DRAFT_SECONDS * 1000);
      if (stays) this.toEnd();
    }
  }

  /** What the bot is doing, in Telegram's word, or null. */
  setAction(action) {
    clearTimeout(this.timers.action);
    this.parts.doing.textContent = action ? (action === "typing" ? "typing…" : "sending a file…") : "bot";
    if (action) this.timers.action = setTimeout(() => this.setAction(null), ACTION_SECONDS * 1000);
  }

  place(message) {
    const fresh = message.service ? this.drawService(message) : this.drawMessage(message);
    const old = this.nodes.get(message.id);
    if (old) old.replaceWith(fresh);
    else if (this.draft) this.draft.before(fresh);
    else this.parts.list.append(fresh);
    this.nodes.set(message.id, fresh);
  }

  drawService(message) {
    return make("li", { class: "service" }, message.service.replaceAll("_", " "));
  }

  drawMessage(message) {
    const mine = !message.by_bot;
    const bubble = make("div", { class: "bubble" }, ...this.drawAbove(message));
    if (message.file) bubble.append(this.drawFile(message.file));
    if (message.text) bubble.append(this.drawWords(message));
    const when = make("span", { class: "when" }, this.drawWhen(message));
    bubble.append(make("div", { class: "foot" }, this.drawActs(message, mine), when));
    const item = make("li", { class: mine ? "said mine" : "said" });
    item.append(make("span", { class: "unseen" }, `${message.sender}: `), bubble);
    if (message.buttons.length) item.append(this.drawKeys(message));
    return item;
  }

  drawDraft(draft) {
    const words = make("div", { class: "words" }, formatted(draft.text, draft.entities, () => {}));
    const bubble = make("div", { class: "bubble", "aria-busy": "true" }, words, make("span", { class: "when" }, "writing"));
    return make("li", { class: "said draft", "aria-hidden": "true" }, bubble);
  }

  drawAbove(message) {
    const above = [];
    if (message.forwarded_from) above.push(make("p", { class: "about" }, `Forwarded from ${message.forwarded_from}`));
    if (message.reply_to) {
      const to = this.messages.get(message.reply_to);
      const words = message.quote || (to ? to.text || (to.file && to.file.name) || "" : "a message that is gone");
      above.push(make("span", { class: "quoted" }, words.slice(0, 200)));
    }
    return above;
  }

  drawFile(file) {
    const path = this.does.file(file.id);
    if (file.kind === "photo") return this.drawPicture(path, file);
    const size = file.size < 1024 ? `${file.size} bytes` : `${Math.ceil(file.size / 1024)} kB`;
    return make("a", { class: "file", href: path, download: file.name }, `${file.name} · ${size}`);
  }

  drawPicture(path, file) {
    const picture = make("img", { src: path, alt: `Picture: ${file.name}` });
    const stays = this.isAtEnd();
    picture.addEventListener("load", () => stays && this.toEnd()); // it has a height only now
    return picture;
  }

  drawWords(message) {
    const words = formatted(message.text, message.entities, (command) => this.does.say(command));
    return make("div", { class: "words" }, words);
  }

  drawWhen(message) {
    const at = TIME.format(new Date(message.at * 1000));
    return message.edited_at ? `edited ${at}` : at;
  }

  drawKeys(message) {
    const keys = make("div", { class: "keys" });
    for (const row of message.buttons) {
      const line = make("div");
      for (const button of row) line.append(this.drawKey(message, button));
      keys.append(line);
    }
    return keys;
  }

  drawKey(message, button) {
    const look = button.style ? `button ${button.style}` : "button";
    if (button.does === "url" && /^https?:\/\//i.test(button.value)) {
      return make("a", { class: look, href: button.value, target: "_blank", rel: "noopener noreferrer" }, button.label);
    }
    const key = make("button", { class: look, type: "button" }, button.label);
    key.addEventListener("click", () => this.does.press(message, button));
    return key;
  }

  drawActs(message, mine) {
    const acts = make("div", { class: "acts" });
    const add = (label, act) => {
      const button = make("button", { type: "button" }, label);
      button.append(make("span", { class: "unseen" }, ` “${message.text.slice(0, 40)}”`));
      button.addEventListener("click", () => act(message));
      acts.append(button);
    };
    add("Reply", this.does.reply);
    if (mine && message.text) add("Edit", this.does.edit);
    if (message.text) add("Forward", this.does.forward);
    return acts;
  }

  empty() {
    this.parts.list.querySelector(".empty")?.remove();
    if (this.messages.size) return;
    this.parts.list.prepend(make("li", { class: "empty" }, "Nothing said yet. Type below, or take one of the sentences beside the phone."));
  }

  isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.parts.list;
    return scrollHeight - scrollTop - clientHeight < NEAR_END;
  }

  toEnd() {
    this.parts.list.scrollTop = this.parts.list.scrollHeight;
  }
}
