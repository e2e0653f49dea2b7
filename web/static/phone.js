// One pretend phone: which chat is open on it and for whom, what happens there, and what its owner does.

import { Compose } from "./compose.js";
import { openForm } from "./form.js";
import { make } from "./nodes.js";
import { Talk } from "./talk.js";
import { ask, upload } from "./wire.js";

const DOING_SECONDS = 10;

export class Phone {
  /**
   * @param {HTMLElement} section the phone, with its parts named by `data-part`
   * @param {HTMLElement} aloud
   * @param {{attempt: Function, toast: Function}} page
   */
  constructor(section, aloud, page) {
    this.section = section;
    this.app = section.dataset.app;
    this.api = `${document.documentElement.dataset.root}/playground/api/${this.app}`;
    this.abilities = JSON.parse(section.dataset.abilities);
    this.page = page;
    this.state = null;
    this.person = "";
    this.placeName = "private";
    this.doingTimer = 0;
    this.pressed = new Set();
    this.talk = new Talk(this.part("talk"), aloud, this.abilities, {
      press: (message, labels) => this.press(message, labels),
      send: (form, values) => this.page.attempt(() => this.fillIn(this.spot(), form, values)),
      reply: (message) => this.compose.aimAt("reply", message),
      edit: (message) => this.compose.aimAt("edit", message),
      like: (message) => this.act("like", { message: message.id, on: !message.reactions.length }, this.spot()),
      forward: (message) => this.compose.aimAt("forward", message),
      say: (text) => this.compose.saySoon(text),
      file: (id) => `${this.api}/files/${encodeURIComponent(id)}`,
      openThread: (id) => this.openThread(id),
    });
    this.compose = new Compose(this.part("compose"), document.body.querySelector("main").dataset, {
      spot: () => this.spot(),
      act: (what, given, spot) => this.act(what, given, spot),
      upload: (query, file) => this.upload(query, file),
      toast: page.toast,
      moved: () => this.talk.isAtEnd() && this.talk.toEnd(),
    });
    this.wire();
  }

  part(name) {
    return /** @type {any} */ (this.section.querySelector(`[data-part=${name}]`));
  }

  wire() {
    this.part("back").addEventListener("click", () => this.openThread(null));
    this.part("mend").addEventListener("click", () => this.page.attempt(() => ask(`${this.api}/mend`, {})));
    for (const button of this.section.querySelectorAll("[data-break]")) {
      button.addEventListener("click", () => this.page.attempt(() => ask(`${this.api}/break`, { what: button.dataset.break })));
    }
  }

  // ---- what is on it ------------------------------------------------------------------------------------------------

  /** Look at everything anew; gives what is there, or null where the app is just starting. */
  async load() {
    const state = await ask(`${this.api}/state`);
    if (state.starting) {
      this.setLine(state.starting);
      return null;
    }
    this.state = state;
    this.drawFaults(this.state.faults);
    if (!this.person) this.person = this.state.people[0].id;
    this.setLine("");
    this.open(this.placeName);
    return this.state;
  }

  /** Be somebody else. */
  setPerson(person) {
    this.person = person;
    if (this.state) this.open(this.placeName);
  }

  get screen() {
    return this.state.screens[this.person][this.placeName];
  }

  get place() {
    return this.state.places.find((place) => place.id === this.placeName);
  }

  /** Open a chat, or a thread of it. */
  open(placeName, thread = null) {
    this.placeName = placeName;
    this.compose.aimAt(null, null);
    this.talk.show(this.screen.messages, thread ? null : this.screen.draft, thread);
    this.setDoing(this.screen.doing);
    this.drawPlaces();
    this.part("back").hidden = !thread;
    this.part("title").textContent = thread ? `Thread in ${this.place.title}` : this.place.title;
    this.part("talk").dataset.place = placeName;
    this.compose.words.placeholder = placeName === "group" ? `${this.abilities.writes_to} calls the bot` : "Message";
  }

  openThread(id) {
    this.open(this.placeName, id);
    (id ? this.compose.words : this.part("talk")).focus();
  }

  /** One thing happened; what is kept of a chat that is not open is drawn once it is. */
  hear(event) {
    if (!this.state) return;
    if (event.kind === "faults") return void this.drawFaults(event.faults);
    for (const person of event.person ? [event.person] : Object.keys(this.state.screens)) {
      const screen = this.state.screens[person][event.place];
      if (!screen) continue;
      keep(screen, event);
      if (person === this.person && event.place === this.placeName) this.draw(event);
    }
  }

  draw(event) {
    if (event.kind === "message") {
      this.talk.put(event.message);
      if (event.message.by_bot) this.setDoing("");
    }
    if (event.kind === "deleted") this.talk.drop(event.id);
    if (event.kind === "draft" && !this.talk.thread) this.talk.setDraft(event.draft);
    if (event.kind === "doing") this.setDoing(event.doing);
  }

  setDoing(words) {
    clearTimeout(this.doingTimer);
    this.part("doing").textContent = words || "bot";
    if (words) this.doingTimer = setTimeout(() => this.setDoing(""), DOING_SECONDS * 1000);
  }

  setLine(words) {
    this.part("line").textContent = words;
    this.part("line").hidden = !words;
  }

  drawPlaces() {
    const buttons = this.state.places.map((place) => {
      const pressed = String(place.id === this.placeName);
      const button = make("button", { type: "button", "aria-pressed": pressed }, place.title);
      button.addEventListener("click", () => {
        this.open(place.id);
        /** @type {HTMLElement | null} */ (this.part("places").querySelector("[aria-pressed=true]"))?.focus();
      });
      return button;
    });
    this.part("places").hidden = buttons.length === 1;
    this.part("places").replaceChildren(...buttons);
  }

  drawFaults(faults) {
    this.part("mend").hidden = faults.length === 0;
    this.part("faults").replaceChildren(...faults.map((fault) => make("li", {}, `Next: ${fault}`)));
  }

  // ---- what is done on it -------------------------------------------------------------------------------------------

  spot() {
    const thread = this.talk.thread ? { thread: this.talk.thread } : {};
    return { person: this.person, place: this.placeName, ...thread };
  }

  act(what, given, spot) {
    return this.page.attempt(async () => {
      await ask(`${this.api}/${what}`, { ...spot, ...given });
      return true;
    });
  }

  upload(query, file) {
    return this.page.attempt(async () => {
      await upload(`${this.api}/attach?${new URLSearchParams(query)}`, file);
      return true;
    });
  }

  /** Say something that was chosen for every phone, in the way of this one. */
  play(text) {
    const isCommand = text.startsWith("/");
    const own = isCommand && this.abilities.command !== "/" ? `${this.abilities.command} ${text.slice(1)}` : text;
    const isCalled = this.placeName === "group" && !isCommand;
    this.compose.saySoon(isCalled ? `${this.abilities.writes_to} ${own}` : own);
  }

  /** A line that only repeats the label tells nothing to whoever has just pressed it. */
  press(message, labels) {
    const spot = this.spot();
    return this.page.attempt(async () => {
      const came = await ask(`${this.api}/press`, { ...spot, message: message.id, labels });
      if (came.line && !labels.includes(came.line)) this.page.toast(came.line);
      if (came.form) openForm(this.app, came.form, (values) => this.fillIn(spot, came.form.id, values));
    });
  }

  fillIn(spot, form, values) {
    return ask(`${this.api}/fill_in`, { ...spot, form, values });
  }
}

/** What happened to a chat, in what is known of it. */
function keep(screen, event) {
  if (event.kind === "deleted") screen.messages = screen.messages.filter((message) => message.id !== event.id);
  if (event.kind === "draft") screen.draft = event.draft;
  if (event.kind === "doing") screen.doing = event.doing;
  if (event.kind !== "message") return;
  const at = screen.messages.findIndex((message) => message.id === event.message.id);
  if (at >= 0) screen.messages[at] = event.message;
  else screen.messages.push(event.message);
  if (event.message.by_bot) Object.assign(screen, { draft: null, doing: "" });
}
