// An Adaptive Card under a message: its words, its fields, and buttons of which some send what is filled in.

import { drawField, filledIn } from "./form.js";
import { keys } from "./keys.js";
import { make } from "./nodes.js";

let cards = 0;

/**
 * @param {any} message
 * @param {Function} press given the message and what was pressed, by its labels
 * @param {(form: string, values: object) => Promise<{line?: string} | undefined>} send
 */
export function card(message, press, send) {
  cards += 1;
  const fields = [];
  const node = make("div", { class: "card-of-app" });
  for (const [number, element] of message.card.elements.entries()) {
    if (!element.label) {
      node.append(make("p", element.look ? { class: element.look } : {}, element.words));
      continue;
    }
    const field = drawField(element, `card-${cards}-${number}`);
    fields.push(field);
    node.append(field.node);
  }
  const trouble = make("p", { class: "trouble", role: "alert" });
  const submit = async (form) => {
    trouble.textContent = "";
    const came = await send(form, filledIn(fields));
    trouble.textContent = (came && came.line) || "";
  };
  node.append(trouble, keys({ ...message, rows: message.card.rows }, press, submit));
  return node;
}
