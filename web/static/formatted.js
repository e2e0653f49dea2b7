// A text with Telegram's entities as DOM nodes. Offsets count UTF-16 code units, as JavaScript strings do.
// Nothing here ever parses HTML: every node is made by hand, so that no text can become markup.

import { link, preformatted } from "./nodes.js";

/** @typedef {{type: string, offset: number, length: number, url?: string, language?: string}} Entity */

const TAGS = {
  bold: "strong",
  italic: "em",
  underline: "u",
  strikethrough: "s",
  code: "code",
  blockquote: "blockquote",
  expandable_blockquote: "blockquote",
};

/** These stand on lines of their own, so the line ends around them would show as empty lines. */
const BLOCKS = new Set(["pre", "blockquote", "expandable_blockquote"]);

/**
 * @param {string} text
 * @param {Entity[]} entities
 * @param {(command: string) => void} onCommand what a tap on a command does
 * @returns {DocumentFragment}
 */
export function formatted(text, entities, onCommand) {
  const ordered = [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  const fragment = document.createDocumentFragment();
  fill(fragment, text, 0, text.length, ordered, onCommand);
  return fragment;
}

function fill(parent, text, start, end, entities, onCommand) {
  let place = start;
  let index = 0;
  while (index < entities.length) {
    const entity = entities[index];
    const stop = Math.min(end, entity.offset + entity.length);
    const inner = [];
    index += 1;
    while (index < entities.length && entities[index].offset < stop) inner.push(entities[index++]);
    if (entity.offset < place || stop <= entity.offset) continue;
    const node = element(entity, text.slice(entity.offset, stop), onCommand);
    fill(inside(node), text, entity.offset, stop, inner, onCommand);
    const isBlock = BLOCKS.has(entity.type);
    const before = text.slice(place, entity.offset);
    parent.append(isBlock ? before.replace(/\n{1,2}$/, "") : before, node);
    place = isBlock ? stop + /^\n{0,2}/.exec(text.slice(stop, end))[0].length : stop;
  }
  parent.append(text.slice(place, end));
}

function element(entity, words, onCommand) {
  if (entity.type === "pre") return preformatted("", entity.language);
  if (entity.type === "spoiler") return spoiler();
  if (entity.type === "bot_command") return command(words, onCommand);
  if (entity.type === "text_link") return link(entity.url || "", "");
  if (entity.type === "url") return link(/^[a-z]+:/i.test(words) ? words : `https://${words}`, "");
  if (entity.type === "email") return link(`mailto:${words}`, "");
  return document.createElement(TAGS[entity.type] || "span");
}

/** Where the words of an element go. */
function inside(node) {
  return node.querySelector("code") || node;
}

function spoiler() {
  const node = document.createElement("button");
  node.type = "button";
  node.className = "spoiler";
  node.setAttribute("aria-label", "Hidden words; press to show them");
  node.addEventListener("click", () => {
    node.classList.add("shown");
    node.removeAttribute("aria-label");
  });
  return node;
}

function command(words, onCommand) {
  const node = document.createElement("button");
  node.type = "button";
  node.className = "command";
  node.addEventListener("click", () => onCommand(words));
  return node;
}
