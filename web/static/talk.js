// The messages of one chat on a pretend phone, drawn from what the pretend app says is there.
// It knows no network; what a tap does is handed in.

import { card } from "./card.js";
import { formatted } from "./formatted.js";
import { keys } from "./keys.js";
import { marked } from "./marked.js";
import { make } from "./nodes.js";

const TIME = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" });
const NEAR_END = 120;
const DRAFT_SECONDS = 30;
const REPLIES_SHOWN = 60;

export class Talk {
  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} aloud where new words are told to whoever listens
   * @param {{replies: string, forwards: boolean, likes: boolean}} abilities
   * @param {Record<string, Function>} does press, send, reply, edit, like, forward, say, file, openThread
   */
  constructor(list, aloud, abilities, does) {
    this.list = list;
    this.aloud = aloud;
    this.abilities = abilities;
    this.does = does;
    this.thread = null;
    this.messages = new Map();
    this.nodes = new Map();
    this.draft = null;
    this.draftTimer = 0;
  }

  /** Show a chat from scratch, or one thread of it. */
  show(messages, draft, thread) {
    this.thread = thread;
    this.messages = new Map(messages.map((message) => [message.id, message]));
    this.nodes.clear();
    this.list.replaceChildren();
    for (const message of this.messages.values()) this.place(message);
    this.setDraft(draft);
    this.empty();
    this.toEnd();
  }

  /** A message is there, or says something else now. */
  put(message) {
    const stays = this.isAtEnd() || !message.by_bot;
    const isNew = !this.messages.has(message.id);
    this.messages.set(message.id, message);
    this.place(message);
    const root = message.thread && this.messages.get(message.thread);
    if (root && !this.thread) this.place(root);
    if (message.by_bot && isNew) this.setDraft(null);
    if (message.by_bot && !message.writing && isNew) this.tell(message);
    this.empty();
    if (stays) this.toEnd();
  }

  tell(message) {
    const file = message.files[0];
    this.aloud.textContent = `${message.sender}: ${message.text || (file && file.name) || ""}`;
  }

  /** A message is gone. */
  drop(id) {
    const message = this.messages.get(id);
    this.messages.delete(id);
    this.nodes.get(id)?.remove();
    this.nodes.delete(id);
    const root = message?.thread && this.messages.get(message.thread);
    if (root && !this.thread) this.place(root);
    this.empty();
  }

  /** The answer that is being written, or null. */
  setDraft(draft) {
    clearTimeout(this.draftTimer);
    const stays = this.isAtEnd();
    this.draft?.remove();
    this.draft = draft && draft.text ? this.drawDraft(draft) : null;
    if (this.draft) {
      this.list.append(this.draft);
      this.draftTimer = setTimeout(() => this.setDraft(null), DRAFT_SECONDS * 1000);
      if (stays) this.toEnd();
    }
  }

  /** Whether it stands in what is open: the chat without its threads, or one thread with what it hangs under. */
  isHere(message) {
    return this.thread ? this.thread === message.thread || this.thread === message.id : !message.thread;
  }

  place(message) {
    if (!this.isHere(message)) return;
    const fresh = message.service ? make("li", { class: "service" }, message.service) : this.drawMessage(message);
    const old = this.nodes.get(message.id);
    if (old) old.replaceWith(fresh);
    else if (this.draft) this.draft.before(fresh);
    else this.list.append(fresh);
    this.nodes.set(message.id, fresh);
  }

  drawMessage(message) {
    const mine = !message.by_bot;
    const bubble = make("div", { class: "bubble" }, ...this.drawAbove(message));
    if (message.writing) bubble.setAttribute("aria-busy", "true");
    for (const file of message.files) bubble.append(this.drawFile(file));
    if (message.parts.length) bubble.append(this.drawWords(message));
    const when = make("span", { class: "when" }, this.drawWhen(message));
    bubble.append(make("div", { class: "foot" }, this.drawActs(message, mine), when));
    const item = make("li", { class: `said${mine ? " mine" : ""}${message.only_you ? " only-you" : ""}` });
    item.append(this.drawSender(message), bubble);
    if (message.card) item.append(card(message, this.does.press, this.does.send));
    if (message.rows.length) item.append(keys(message, this.does.press));
    if (message.reactions.length) item.append(make("p", { class: "reactions" }, ...message.reactions.map((each) => make("span", {}, each))));
    const replies = this.drawReplies(message);
    if (replies) item.append(replies);
    return item;
  }

  drawSender(message) {
    const face = make("span", { class: "initial", "aria-hidden": "true" }, message.sender.slice(0, 1));
    return make("p", { class: "sender" }, face, make("span", { class: "name" }, message.sender), make("span", { class: "unseen" }, ": "));
  }

  drawDraft(draft) {
    const words = make("div", { class: "words" }, formatted(draft.text, draft.entities, () => {}));
    const bubble = make("div", { class: "bubble", "aria-busy": "true" }, words, make("span", { class: "when" }, "writing"));
    return make("li", { class: "said draft", "aria-hidden": "true" }, bubble);
  }

  drawAbove(message) {
    const above = [];
    if (message.only_you) above.push(make("p", { class: "about" }, "Only you can see this"));
    if (message.forwarded_from) above.push(make("p", { class: "about" }, `Forwarded from ${message.forwarded_from}`));
    if (message.reply_to) {
      const to = this.messages.get(message.reply_to);
      const words = message.quote || (to ? to.text || (to.files[0] && to.files[0].name) || "" : "a message that is gone");
      above.push(make("span", { class: "quoted" }, words.slice(0, 200)));
    }
    return above;
  }

  drawFile(file) {
    const path = this.does.file(file.id);
    if (file.is_picture) return this.drawPicture(path, file);
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
    const words = make("div", { class: "words" });
    for (const part of message.parts) {
      if (part.kind === "entities") words.append(formatted(part.text, part.entities, (command) => this.does.say(command)));
      else words.append(...marked(part));
    }
    words.classList.toggle("blocks", message.parts[0].kind !== "entities");
    return words;
  }

  drawWhen(message) {
    if (message.writing) return "writing";
    const at = TIME.format(new Date(message.at * 1000));
    return message.edited ? `edited ${at}` : at;
  }

  drawReplies(message) {
    if (this.thread) return null;
    const replies = [...this.messages.values()].filter((each) => each.thread === message.id);
    if (!replies.length) return null;
    const last = replies[replies.length - 1];
    const count = replies.length === 1 ? "1 reply" : `${replies.length} replies`;
    const words = last.text.replaceAll("\n", " ").slice(0, REPLIES_SHOWN);
    const open = make("button", { class: "replies", type: "button" }, make("strong", {}, count), ` ${last.sender}: ${words}`);
    open.addEventListener("click", () => this.does.openThread(message.id));
    return open;
  }

  drawActs(message, mine) {
    const acts = make("div", { class: "acts" });
    const add = (label, act) => {
      const button = make("button", { type: "button" }, label);
      button.append(make("span", { class: "unseen" }, ` “${message.text.slice(0, 40)}”`));
      button.addEventListener("click", () => act(message));
      acts.append(button);
    };
    if (this.abilities.replies === "quote") add("Reply", this.does.reply);
    else if (!this.thread && !message.only_you) add("Reply in thread", () => this.does.openThread(message.id));
    if (mine && message.text) add("Edit", this.does.edit);
    if (!mine && this.abilities.likes) add(message.reactions.length ? "Like no more" : "Like", this.does.like);
    if (message.text && this.abilities.forwards) add("Forward", this.does.forward);
    return acts;
  }

  empty() {
    this.list.querySelector(".empty")?.remove();
    if (this.list.childElementCount) return;
    this.list.prepend(make("li", { class: "empty" }, "Nothing said yet. Type below, or take one of the sentences to try."));
  }

  isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.list;
    return scrollHeight - scrollTop - clientHeight < NEAR_END;
  }

  toEnd() {
    this.list.scrollTop = this.list.scrollHeight;
  }
}
