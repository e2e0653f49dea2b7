// What can be pressed or picked under a message: buttons in rows, lists to pick one or several from.

import { make } from "./nodes.js";

/**
 * @param {any} message
 * @param {Function} press given the message and what was pressed or picked, by its labels
 * @param {Function} [send] given the form that a button sends
 */
export function keys(message, press, send) {
  const all = make("div", { class: "keys" });
  for (const row of message.rows) {
    const look = row.chips ? "row chips" : "row";
    if (row.buttons) all.append(make("div", { class: look }, ...row.buttons.map((button) => key(message, button, press, send))));
    else all.append(row.multi ? several(message, row, press) : one(message, row, press));
  }
  return all;
}

function key(message, button, press, send) {
  const look = button.style ? `button ${button.style}` : "button";
  if (button.does === "url" && /^https?:\/\//i.test(button.value)) {
    return make("a", { class: look, href: button.value, target: "_blank", rel: "noopener noreferrer" }, button.label);
  }
  const node = /** @type {HTMLButtonElement} */ (make("button", { class: look, type: "button" }, button.label));
  node.disabled = button.off;
  const does = { copy: () => navigator.clipboard?.writeText(button.value), send: () => send?.(button.value) };
  node.addEventListener("click", does[button.does] || (() => press(message, [button.label])));
  return node;
}

/** A list of which one is picked, as soon as it is. */
function one(message, row, press) {
  const chosen = row.options.find((option) => option.chosen);
  const none = make("option", { value: "" }, "Choose…");
  const options = row.options.map((option) => make("option", { value: option.label }, option.label));
  const list = /** @type {HTMLSelectElement} */ (make("select", { "aria-label": "Choose one" }, none, ...options));
  list.value = chosen ? chosen.label : "";
  list.addEventListener("change", () => list.value && press(message, [list.value]));
  return list;
}

/** A list of which several are picked, sent by a button. */
function several(message, row, press) {
  const boxes = row.options.map((option) => {
    const box = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox", value: option.label }));
    box.checked = option.chosen;
    return box;
  });
  const labels = boxes.map((box) => make("label", {}, box, box.value));
  const done = make("button", { class: "button", type: "button" }, "Choose these");
  done.addEventListener("click", () => {
    const picked = boxes.filter((box) => box.checked).map((box) => box.value);
    if (picked.length) press(message, picked);
  });
  return make("fieldset", {}, make("legend", {}, "Choose any"), ...labels, done);
}
