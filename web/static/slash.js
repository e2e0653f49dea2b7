// @ts-check
/**
 * The menu of commands over a plain field: first the command, then its values. By keyboard a list above the field, by
 * touch a sheet above the keyboard. A value that is chosen is sent as the command, and never stands in the chat.
 */

/** @typedef {{word: string, title: string, current: boolean}} Value */
/** @typedef {{kind: "choose" | "suggest", heading: string, items: Value[]}} Values */
/** @typedef {{name: string, description: string, hint: string, section: string, needs_args: boolean, values: Values | null}} Command */
/** @typedef {{label: string, about: string, said: string, take: () => void, active: boolean}} Row */

const MOST_ROWS = 40;

/**
 * @param {HTMLFormElement} form
 * @param {HTMLTextAreaElement} field
 */
export function slashMenu(form, field) {
  const menu = new Menu(form, field);
  return { keydown: (/** @type {KeyboardEvent} */ event) => menu.keydown(event) };
}

class Menu {
  /**
   * @param {HTMLFormElement} form
   * @param {HTMLTextAreaElement} field
   */
  constructor(form, field) {
    this.form = form;
    this.field = field;
    /** @type {Command[]} */
    this.commands = [];
    /** @type {Row[]} */
    this.rows = [];
    this.at = 0;
    this.closedFor = "";
    this.sheet = element("div", "slash");
    this.sheet.hidden = true;
    this.heading = element("p", "slash-heading");
    this.heading.id = "slash-heading";
    this.list = element("ul", "slash-rows");
    this.list.id = "slash-rows";
    this.list.setAttribute("role", "listbox");
    this.list.tabIndex = 0; // it may be longer than there is room
    this.list.setAttribute("aria-labelledby", this.heading.id);
    const close = element("button", "button slash-close");
    close.textContent = "Close";
    close.setAttribute("type", "button");
    close.addEventListener("click", () => this.dismiss());
    const head = element("div", "slash-head");
    head.append(this.heading, close);
    this.sheet.append(head, this.list);
    form.before(this.sheet);
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", this.list.id);
    field.addEventListener("input", () => this.typed());
    field.addEventListener("blur", () => setTimeout(() => this.sheet.contains(document.activeElement) || this.close(), 150));
    field.addEventListener("focus", () => this.typed());
    form.addEventListener("reset", () => this.close());
    form.addEventListener("submit", () => this.close());
    visualViewport?.addEventListener("resize", () => this.fit());
  }

  async typed() {
    const text = this.field.value;
    const found = /^\/([^\s/]*)(?:\s(.*))?$/su.exec(text);
    if (!found || text === this.closedFor) {
      if (text !== this.closedFor) this.closedFor = "";
      this.close();
      return;
    }
    if (!this.commands.length || text === "/") await this.load();
    if (this.field.value !== text) return;
    const [, name, words] = found;
    const exact = this.commands.find((one) => one.name === name);
    if (words !== undefined) this.showValues(exact, words);
    else this.showCommands(name.toLowerCase());
  }

  async load() {
    try {
      const answer = await fetch(this.form.dataset.menu ?? "", { headers: { accept: "application/json" } });
      if (answer.ok) this.commands = await answer.json();
    } catch {
      // without the list a command can still be typed
    }
  }

  /** @param {string} typed */
  showCommands(typed) {
    const begins = this.commands.filter((one) => one.name.startsWith(typed));
    begins.sort((one, other) => Number(other.name === typed) - Number(one.name === typed));
    const holds = this.commands.filter((one) => !one.name.startsWith(typed) && one.name.includes(typed));
    this.show("Commands", [...begins, ...holds].slice(0, MOST_ROWS).map((one) => this.commandRow(one)));
  }

  /**
   * @param {Command} one
   * @returns {Row}
   */
  commandRow(one) {
    const hint = one.hint ? ` ${one.needs_args ? one.hint : `[${one.hint}]`}` : "";
    const goesOn = one.needs_args || one.values !== null;
    const take = () => (goesOn ? this.write(`/${one.name} `) : this.run(`/${one.name}`));
    return { label: `/${one.name}${hint}`, about: one.description, said: "", take, active: true };
  }

  /**
   * @param {Command | undefined} command
   * @param {string} words
   */
  showValues(command, words) {
    const values = command?.values;
    if (!command || !values) {
      this.close();
      return;
    }
    const typed = words.trim().toLowerCase();
    const fits = values.items.filter(
      ({ word, title }) => word.toLowerCase().includes(typed) || title.toLowerCase().includes(typed),
    );
    if (!fits.length) {
      this.close();
      return;
    }
    const rows = fits.slice(0, MOST_ROWS).map((value) => ({
      label: value.title,
      about: value.title === value.word ? "" : value.word,
      said: value.current ? "in use" : "",
      take: () => this.run(`/${command.name} ${value.word}`),
      active: values.kind === "choose",
    }));
    const back = { label: "Back", about: "all commands", said: "", take: () => this.write("/"), active: false };
    this.show(values.heading, [...rows, back], Math.max(0, fits.findIndex((value) => value.current)));
  }

  /**
   * @param {string} heading
   * @param {Row[]} rows
   * @param {number} at
   */
  show(heading, rows, at = 0) {
    this.rows = rows;
    if (!rows.length) {
      this.close();
      return;
    }
    this.heading.textContent = heading;
    this.list.replaceChildren(...rows.map((row, place) => this.drawn(row, place)));
    this.sheet.hidden = false;
    this.mark(rows[at]?.active ? at : -1);
    this.fit();
  }

  /**
   * @param {Row} row
   * @param {number} place
   */
  drawn(row, place) {
    const made = element("li", "slash-row");
    made.id = `slash-${place}`;
    made.setAttribute("role", "option");
    const label = element("span", "slash-label");
    label.textContent = row.label;
    made.append(label);
    if (row.said) {
      const said = element("span", "slash-said");
      said.textContent = `✓ ${row.said}`;
      made.append(said);
    }
    if (row.about) {
      const about = element("span", "quiet slash-about");
      about.textContent = row.about;
      made.append(about);
    }
    made.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
    made.addEventListener("click", () => row.take());
    return made;
  }

  /** @param {number} at the row that Enter takes; -1: none, Enter sends what stands in the field */
  mark(at) {
    this.at = at;
    [...this.list.children].forEach((row, place) => row.setAttribute("aria-selected", String(place === at)));
    const row = this.list.children[at];
    if (row) {
      this.field.setAttribute("aria-activedescendant", row.id);
      row.scrollIntoView({ block: "nearest" });
    } else this.field.removeAttribute("aria-activedescendant");
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {boolean} whether the key was the menu's
   */
  keydown(event) {
    if (this.sheet.hidden || event.isComposing) return false;
    const count = this.rows.length;
    switch (event.key) {
      case "ArrowDown":
        this.mark((this.at + 1) % count);
        break;
      case "ArrowUp":
        this.mark((Math.max(this.at, 0) + count - 1) % count);
        break;
      case "Escape":
        this.dismiss();
        break;
      case "Tab":
        if (event.shiftKey || this.at < 0) return false;
        this.rows[this.at].take();
        break;
      case "Enter":
        if (event.shiftKey || this.at < 0) return false;
        this.rows[this.at].take();
        break;
      default:
        return false;
    }
    event.preventDefault();
    return true;
  }

  /** @param {string} words */
  write(words) {
    this.field.value = words;
    this.field.focus();
    this.closedFor = "";
    this.typed();
  }

  /** @param {string} words a whole command */
  run(words) {
    this.field.value = words;
    this.closedFor = words;
    this.close();
    this.form.requestSubmit();
  }

  dismiss() {
    this.closedFor = this.field.value;
    this.close();
    this.field.focus();
  }

  close() {
    this.sheet.hidden = true;
    this.field.removeAttribute("aria-activedescendant");
  }

  /** As high as what is left above the keyboard. */
  fit() {
    const room = (visualViewport?.height ?? innerHeight) * 0.6;
    this.list.style.maxHeight = `${Math.round(room)}px`;
  }
}

/**
 * @param {string} tag
 * @param {string} name
 */
function element(tag, name) {
  const made = document.createElement(tag);
  made.className = name;
  return made;
}
