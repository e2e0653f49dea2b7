// The playground's page: the phones, who is played on all of them, what is said in all of them at once.

import { make } from "./nodes.js";
import { Phone } from "./phone.js";
import { Refusal, follow } from "./wire.js";

const LOST = "The line to Conch is lost. Trying again…";
const AGAIN_MILLISECONDS = 2000;
const at = (id) => /** @type {any} */ (document.getElementById(id));

const page = { person: "", stream: null };
const sections = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".phone"))];
const phones = new Map(sections.map((section) => [section.dataset.app, new Phone(section, at("aloud"), { attempt, toast })]));

// ---- the screens ----------------------------------------------------------------------------------------------------

/** Look at every phone and follow what happens on all; one whose app is just starting is looked at again soon. */
async function open() {
  page.stream?.close();
  const reached = await Promise.all([...phones.values()].map(opened));
  setLine("");
  page.stream = follow(`${document.documentElement.dataset.root}/playground/api/events`, reached.filter(Boolean).join(","), {
    event: hear,
    lost: (forGood) => (forGood ? reopen() : setLine(LOST)),
    back: () => setLine(""),
  });
}

/** Up to where a phone is known; nothing where its app is not there yet. */
async function opened(phone) {
  const state = await phone.load();
  if (!state) {
    setTimeout(() => look(phone), AGAIN_MILLISECONDS);
    return "";
  }
  drawPeople(state.people);
  phone.setPerson(page.person);
  return `${phone.app}:${state.after}`;
}

/** One phone anew. */
async function look(phone) {
  try {
    await opened(phone);
  } catch {
    // the line is lost, and the stream says so
  }
}

/** Look whether Conch is back, until it is, or until it says that it does not know us any more. */
async function reopen() {
  setLine(page.stream ? LOST : "");
  try {
    await open();
  } catch (fault) {
    if (fault instanceof Refusal && fault.status === 401) setLine(fault.message);
    else setTimeout(reopen, AGAIN_MILLISECONDS);
  }
}

/** One thing happened. `again`: more than can be told one by one, so that phone is looked at anew. */
function hear(event) {
  const phone = phones.get(event.app);
  if (!phone) return;
  if (event.kind === "again") look(phone);
  else phone.hear(event);
}

// ---- around the phones ----------------------------------------------------------------------------------------------

async function attempt(work) {
  try {
    return await work();
  } catch (fault) {
    toast(fault instanceof Refusal ? fault.message : "Conch cannot be reached. Is it still running?");
    return undefined;
  }
}

function drawPeople(people) {
  if (page.person) return;
  page.person = people[0].id;
  at("people").replaceChildren(
    ...people.map((person) => {
      const input = /** @type {HTMLInputElement} */ (make("input", { type: "radio", name: "person", value: person.id }));
      input.checked = person.id === page.person;
      input.addEventListener("change", () => {
        page.person = person.id;
        for (const phone of phones.values()) phone.setPerson(person.id);
      });
      return make("label", {}, input, make("span", {}, person.name, " ", make("span", { class: "quiet" }, person.about)));
    }),
  );
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

function playInAll(text) {
  for (const phone of phones.values()) phone.play(text);
}

/** Where there is room for one phone only, this one. */
function showOnly(app) {
  for (const section of sections) section.classList.toggle("shown", section.dataset.app === app);
  for (const tab of document.querySelectorAll("[data-show]")) {
    tab.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (tab).dataset.show === app));
  }
}

// ---- wiring ---------------------------------------------------------------------------------------------------------

at("in-all").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = at("words-in-all").value.trim();
  if (!text) return;
  at("words-in-all").value = "";
  playInAll(text);
});
for (const button of document.querySelectorAll("[data-say]")) {
  button.addEventListener("click", () => playInAll(/** @type {HTMLElement} */ (button).dataset.say));
}
for (const tab of document.querySelectorAll("[data-show]")) {
  tab.addEventListener("click", () => showOnly(/** @type {HTMLElement} */ (tab).dataset.show));
}

showOnly(sections[0].dataset.app);
reopen();
