// Fields to type in or to pick from, and a form of them that a pretend app opens over its phone, sent in one go.

import { make } from "./nodes.js";

let openForms = 0;

/**
 * Show a form until it is sent or closed. `send` gets the values by the fields' labels and gives what is wrong.
 * @param {string} app @param {any} form
 * @param {(values: object) => Promise<{line?: string, errors?: Record<string, string>} | undefined>} send
 */
export function openForm(app, form, send) {
  openForms += 1;
  const name = `form-${openForms}`;
  const fields = form.fields.map((field, number) => drawField(field, `${name}-${number}`));
  const trouble = make("p", { class: "trouble", role: "alert" });
  const cancel = make("button", { class: "button", type: "button" }, "Cancel");
  const submit = /** @type {HTMLButtonElement} */ (make("button", { class: "button main", type: "submit" }, form.submit || "Send"));
  const inside = make("form", { novalidate: "" });
  inside.append(make("h2", { id: `${name}-title` }, form.title));
  if (form.text) inside.append(make("p", { class: "quiet" }, form.text));
  inside.append(...fields.map((field) => field.node), trouble, make("div", { class: "ends" }, cancel, submit));
  const dialog = /** @type {HTMLDialogElement} */ (make("dialog", { class: "form", "data-app": app, "aria-labelledby": `${name}-title` }, inside));
  cancel.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  inside.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    await sent(dialog, fields, trouble, send);
    submit.disabled = false;
  });
  document.body.append(dialog);
  dialog.showModal();
}

async function sent(dialog, fields, trouble, send) {
  const values = filledIn(fields);
  trouble.textContent = "";
  for (const field of fields) field.complain("");
  try {
    const came = (await send(values)) || {};
    const errors = came.errors || {};
    for (const field of fields) field.complain(errors[field.label] || "");
    trouble.textContent = came.line || "";
    if (!came.line && !Object.keys(errors).length) dialog.close();
  } catch (fault) {
    trouble.textContent = fault.message || "That could not be sent. Is Conch still running?";
  }
}

/** What stands in fields, by how the app calls them: by its own key, or by the label. */
export function filledIn(fields) {
  const values = {};
  for (const field of fields) {
    const value = field.value();
    if (value !== null) values[field.label] = value;
  }
  return values;
}

/** @param {any} field @param {string} name an id that nothing else on the page has */
export function drawField(field, name) {
  if (field.options && (field.several || field.expanded)) return pickFrom(field, name);
  const input = field.options ? oneOf(field, name) : typed(field, name);
  const label = make("label", { for: name }, field.label, field.required ? make("span", { class: "quiet" }, " (needed)") : "");
  const wrong = make("span", { class: "trouble", id: `${name}-wrong` });
  const about = field.about ? [make("span", { class: "quiet" }, field.about)] : [];
  input.setAttribute("aria-describedby", `${name}-wrong`);
  return {
    node: make("div", { class: "field" }, label, ...about, input, wrong),
    label: field.key || field.label,
    value: () => (input.value || field.value ? input.value : null),
    complain: (words) => complain(input, wrong, words),
  };
}

function typed(field, name) {
  if (field.input) return /** @type {HTMLInputElement} */ (make("input", { id: name, type: field.input, step: "any", value: field.value || "" }));
  const input = /** @type {HTMLTextAreaElement} */ (make("textarea", { id: name, rows: "1" }));
  input.value = field.value || "";
  return input;
}

function oneOf(field, name) {
  const none = make("option", { value: "" }, "Choose…");
  const options = field.options.map((option) => make("option", { value: option }, option));
  const list = /** @type {HTMLSelectElement} */ (make("select", { id: name }, none, ...options));
  list.value = field.options.includes(field.value) ? field.value : "";
  return list;
}

function pickFrom(field, name) {
  const type = field.several ? "checkbox" : "radio";
  const boxes = field.options.map((option) => /** @type {HTMLInputElement} */ (make("input", { type, name, value: option })));
  for (const box of boxes) box.checked = field.several ? (field.value || "").split(", ").includes(box.value) : field.value === box.value;
  const wrong = make("span", { class: "trouble", id: `${name}-wrong` });
  const needed = field.required ? make("span", { class: "quiet" }, " (needed)") : "";
  const set = make("fieldset", { class: "field" }, make("legend", {}, field.label, needed));
  set.append(...boxes.map((box) => make("label", {}, box, box.value)), wrong);
  return {
    node: set,
    label: field.key || field.label,
    value: () => {
      const picked = boxes.filter((box) => box.checked).map((box) => box.value);
      if (picked.length) return picked;
      return field.value ? [] : null; // what was picked before is taken back
    },
    complain: (words) => complain(set, wrong, words),
  };
}

function complain(input, wrong, words) {
  wrong.textContent = words;
  if (words) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}
