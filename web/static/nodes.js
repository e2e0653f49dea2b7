// Making nodes by hand: nothing on the page is ever parsed from text, so that no text can become markup.

/** @param {string} tag @param {Record<string, string>} [given] @param {...(Node|string)} children */
export function make(tag, given = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** A link to somewhere else, or its words alone where the address is none that a browser should follow. */
export function link(url, words) {
  if (!/^(https?:\/\/|mailto:)/i.test(url)) return make("span", {}, words);
  return make("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, words);
}

/** Code on lines of its own; wide code scrolls, by keyboard too. */
export function preformatted(words, language = "") {
  const about = { role: "group", tabindex: "0", "aria-label": language ? `Code, ${language}` : "Code" };
  const pre = make("pre", about, make("code", {}, words));
  if (language) pre.dataset.language = language;
  return pre;
}
