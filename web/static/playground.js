// The playground's page: who is played, what they say, what is broken. Drawing the chat is in phone.js.

import { Phone, make } from "./phone.js";
import { Refusal, ask, follow, upload } from "./wire.js";

const API = "/playground/api";
const LOST = "The line to Conch is lost. Trying again…";
const MOST_FILE = 1024 * 1024;
const at = (id) => document.getElementById(id);

const page = { person: "", people: [], aim: null, stream: null, faults: [], returned: [], pressed: new Set() };
const words = at("words");
const LIMITS = at("compose").dataset;
const phone = new Phone(
  { list: at("talk"), doing: at("doing"), aloud: at("aloud") },
  {
    press,
    reply: (message) => aimAt("reply", message),
    edit: (message) => aimAt("edit", message),
    forward: (message) => aimAt("forward", message),
    say: (text) => saySoon(text),
    file: (id) => `${API}/files/${encodeURIComponent(id)}`,
  },
);

// ---- the screens ----------------------------------------------------------------------------------------------------

async function open() {
  page.stream?.close();
  const state = await ask(`${API}/state`);
  setLine("");
  page.people = state.people;
  if (!state.people.some((person) => person.id === page.person)) page.person = state.people[0].id;
  at("face").textContent = state.bot.name.slice(0, 1);
  at("bot").textContent = state.bot.name;
  drawPeople();
  drawFaults(state.faults);
  phone.show(page.person, state.screens[page.person]);
  page.stream = follow(`${API}/events`, state.after, {
    event: hear,
    lost: (forGood) => (forGood ? reopen() : setLine(LOST)),
    back: () => setLine(""),
  });
}

/** Look whether Conch is back, until it is, or until it says that it does not know us any more. */
async function reopen() {
  setLine(page.stream ? LOST : "");
  try {
    await open();
  } catch (fault) {
    if (fault instanceof Refusal && fault.status === 401) setLine(fault.message);
    else setTimeout(reopen, 2000);
  }
}

/** One thing happened. `again`: more than can be told one by one, so everything is looked at anew. */
function hear(event) {
  if (event.kind === "again") return void reopen();
  if (event.kind === "faults") return drawFaults(event.faults);
  if (event.person !== page.person) return undefined;
  if (event.kind === "message") return phone.put(event.message);
  if (event.kind === "deleted") return phone.drop(event.message_id);
  if (event.kind === "draft") return phone.setDraft(event.draft);
  if (event.kind === "action") return phone.setAction(event.action);
  // A note that repeats the label tells nothing to whoever has just pressed it.
  if (event.kind === "answer" && event.text && !page.pressed.has(event.text)) toast(event.text);
  return undefined;
}

// ---- doing ----------------------------------------------------------------------------------------------------------

async function attempt(work) {
  try {
    return await work();
  } catch (fault) {
    toast(fault instanceof Refusal ? fault.message : "Conch cannot be reached. Is it still running?");
    return undefined;
  }
}

function act(what, given, person = page.person) {
  return attempt(async () => {
    await ask(`${API}/${what}`, { person, ...given });
    return true;
  });
}

function press(message, button) {
  page.pressed.add(button.label);
  return act("press", { message: message.id, label: button.label });
}

/** What is sent goes one after another, so that it arrives in the order in which it was given. */
let sending = Promise.resolve();
let waiting = 0;
function inTurn(work) {
  waiting += 1;
  sending = sending.then(work).finally(() => {
    waiting -= 1;
    if (!waiting) page.returned = [];
  });
}

function saySoon(text) {
  const person = page.person;
  inTurn(() => act("say", { text }, person));
}

/** The box is empty from now on: a second click finds nothing to send, and new words are not mixed with these. */
function takeWords() {
  const text = words.value.trim();
  words.value = "";
  page.returned = [];
  return text;
}

/** Words that were not sent stand before what was typed since, and after what came back before them. */
function putBack(text, person, aim) {
  const before = page.returned.join("\n");
  if (!words.value.startsWith(before)) page.returned = [];
  const since = page.returned.length ? words.value.slice(before.length).replace(/^\n/, "") : words.value;
  if (aim && !page.aim && !words.value && person === page.person) aimAt(aim.how, aim.message);
  page.returned.push(text);
  words.value = [...page.returned, since].filter(Boolean).join("\n");
}

/** Whether it is longer than the server takes, and then it is said. Characters are counted as the server counts them. */
function isTooLong(what, text, most) {
  if ([...text].length <= most) return false;
  toast(`${what} is too long: at most ${Number(most).toLocaleString("en")} characters.`);
  return true;
}

function send() {
  if (isTooLong("That", words.value.trim(), LIMITS.mostWords)) return;
  const text = takeWords();
  if (!text) return;
  const { person, aim } = page;
  const { how, message } = aim || { how: "say", message: null };
  const given = message && how !== "forward" ? { text, message: message.id } : { text };
  if (how === "forward") given.of = message.by_bot ? "Someone" : message.sender;
  aimAt(null, null);
  inTurn(async () => (await act(how, given, person)) || putBack(text, person, aim));
}

/** What the next words are for: a reply to a message, its new text, or passing it on. */
function aimAt(how, message) {
  const stays = phone.isAtEnd();
  page.aim = how ? { how, message } : null;
  at("aim").hidden = !how;
  const title = { reply: "Reply to", edit: "Change", forward: "Forward" }[how] || "";
  at("aim-words").textContent = how ? `${title} “${message.text || (message.file && message.file.name) || ""}”` : "";
  if (how === "edit" || how === "forward") words.value = message.text;
  if (how) words.focus();
  if (stays) phone.toEnd(); // the line above the words takes room from the messages
}

/** A file goes with the words in the box; what cannot be sent at all leaves them there. */
function attach(file) {
  if (file.size > MOST_FILE) return toast("The playground takes files of up to 1 MB.");
  if (isTooLong("The file's name", file.name, LIMITS.mostName)) return undefined;
  if (isTooLong("What goes with the file", words.value.trim(), LIMITS.mostCaption)) return undefined;
  const person = page.person;
  const caption = takeWords();
  const query = new URLSearchParams({ person, name: file.name, caption });
  return inTurn(async () => {
    const sent = await attempt(async () => {
      await upload(`${API}/attach?${query}`, file);
      return true;
    });
    if (!sent && caption) putBack(caption, person, null);
  });
}

// ---- beside the phone -----------------------------------------------------------------------------------------------

function drawPeople() {
  at("people").replaceChildren(
    ...page.people.map((person) => {
      const input = make("input", { type: "radio", name: "person", value: person.id });
      input.checked = person.id === page.person;
      input.addEventListener("change", () => {
        page.person = person.id;
        aimAt(null, null);
        attempt(open);
      });
      return make("label", {}, input, make("span", {}, person.name, " ", make("span", { class: "quiet" }, person.about)));
    }),
  );
}

function drawFaults(faults) {
  page.faults = faults;
  at("mend").hidden = faults.length === 0;
  at("faults").replaceChildren(...faults.map((fault) => make("li", {}, `Next: ${fault}`)));
}

function setLine(text) {
  at("line").textContent = text;
  at("line").hidden = !text;
}

let toastTimer;
function toast(text) {
  clearTimeout(toastTimer);
  at("toast").textContent = text;
  at("toast").hidden = false;
  toastTimer = setTimeout(() => {
    at("toast").hidden = true;
  }, 6000);
}

// ---- wiring ---------------------------------------------------------------------------------------------------------

at("compose").addEventListener("submit", (event) => {
  event.preventDefault();
  send();
});
words.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    send();
  }
  if (event.key === "Escape" && page.aim) aimAt(null, null);
});
at("aim-off").addEventListener("click", () => aimAt(null, null));
at("attach").addEventListener("click", () => at("file").click());
at("file").addEventListener("change", (event) => {
  const input = /** @type {HTMLInputElement} */ (event.target);
  for (const file of input.files || []) attach(file);
  input.value = "";
});
for (const button of document.querySelectorAll("[data-say]")) {
  button.addEventListener("click", () => saySoon(button.dataset.say));
}
for (const button of document.querySelectorAll("[data-break]")) {
  button.addEventListener("click", () => attempt(() => ask(`${API}/break`, { what: button.dataset.break })));
}
at("mend").addEventListener("click", () => attempt(() => ask(`${API}/mend`, {})));

reopen();
