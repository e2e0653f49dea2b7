// The box under a chat: what is typed there goes out one after another, and what was not sent comes back into it.

const MOST_FILE = 1024 * 1024;
const TITLES = { reply: "Reply to", edit: "Change", forward: "Forward" };

export class Compose {
  /**
   * @param {HTMLElement} form the box with its parts, named by `data-part`
   * @param {DOMStringMap} limits
   * @param {{spot: () => any, act: Function, upload: Function, toast: Function, moved: Function}} does
   */
  constructor(form, limits, does) {
    const part = (name) => /** @type {any} */ (form.querySelector(`[data-part=${name}]`));
    this.words = part("words");
    this.parts = { aim: part("aim"), aimWords: part("aim-words"), file: part("file") };
    this.limits = limits;
    this.does = does;
    this.aim = null;
    this.returned = [];
    this.sending = Promise.resolve();
    this.waiting = 0;
    this.wire(form, part);
  }

  wire(form, part) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    this.words.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.send();
      }
      if (event.key === "Escape" && this.aim) this.aimAt(null, null);
    });
    part("aim-off").addEventListener("click", () => this.aimAt(null, null));
    part("attach").addEventListener("click", () => this.parts.file.click());
    this.parts.file.addEventListener("change", () => {
      for (const file of this.parts.file.files || []) this.attach(file);
      this.parts.file.value = "";
    });
  }

  /** What is sent goes one after another, so that it arrives in the order in which it was given. */
  inTurn(work) {
    this.waiting += 1;
    this.sending = this.sending.then(work).finally(() => {
      this.waiting -= 1;
      if (!this.waiting) this.returned = [];
    });
  }

  /** Say something that was not typed here. */
  saySoon(text) {
    const spot = this.does.spot();
    this.inTurn(() => this.does.act("say", { text }, spot));
  }

  /** The box is empty from now on: a second click finds nothing to send, and new words are not mixed with these. */
  takeWords() {
    const text = this.words.value.trim();
    this.words.value = "";
    this.returned = [];
    return text;
  }

  /** Words that were not sent stand before what was typed since, and after what came back before them. */
  putBack(text, spot, aim) {
    const before = this.returned.join("\n");
    if (!this.words.value.startsWith(before)) this.returned = [];
    const since = this.returned.length ? this.words.value.slice(before.length).replace(/^\n/, "") : this.words.value;
    const isHere = JSON.stringify(spot) === JSON.stringify(this.does.spot());
    if (aim && !this.aim && !this.words.value && isHere) this.aimAt(aim.how, aim.message);
    this.returned.push(text);
    this.words.value = [...this.returned, since].filter(Boolean).join("\n");
  }

  /** Whether it is longer than the server takes, and then it is said. Characters are counted as the server does. */
  isTooLong(what, text, most) {
    if ([...text].length <= most) return false;
    this.does.toast(`${what} is too long: at most ${Number(most).toLocaleString("en")} characters.`);
    return true;
  }

  send() {
    if (this.isTooLong("That", this.words.value.trim(), this.limits.mostWords)) return;
    const text = this.takeWords();
    if (!text) return;
    const { aim } = this;
    const spot = this.does.spot();
    const { how, message } = aim || { how: "say", message: null };
    const given = message && how !== "forward" ? { text, message: message.id } : { text };
    if (how === "forward") given.of = message.by_bot ? "Someone" : message.sender;
    this.aimAt(null, null);
    this.inTurn(async () => (await this.does.act(how, given, spot)) || this.putBack(text, spot, aim));
  }

  /** What the next words are for: a reply to a message, its new text, or passing it on. */
  aimAt(how, message) {
    this.aim = how ? { how, message } : null;
    this.parts.aim.hidden = !how;
    const words = how ? message.text || (message.files[0] && message.files[0].name) || "" : "";
    this.parts.aimWords.textContent = how ? `${TITLES[how]} “${words}”` : "";
    if (how === "edit" || how === "forward") this.words.value = message.text;
    if (how) this.words.focus();
    this.does.moved(); // the line above the words takes room from the messages
  }

  /** A file goes with the words in the box; what cannot be sent at all leaves them there. */
  attach(file) {
    if (file.size > MOST_FILE) return this.does.toast("The playground takes files of up to 1 MB.");
    if (this.isTooLong("The file's name", file.name, this.limits.mostName)) return undefined;
    if (this.isTooLong("What goes with the file", this.words.value.trim(), this.limits.mostCaption)) return undefined;
    const spot = this.does.spot();
    const caption = this.takeWords();
    return this.inTurn(async () => {
      const sent = await this.does.upload({ ...spot, name: file.name, caption }, file);
      if (!sent && caption) this.putBack(caption, spot, null);
    });
  }
}
