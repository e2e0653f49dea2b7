// Words with the signs of Discord's Markdown, of Teams', of Slack's Markdown blocks and of Slack's mrkdwn, as DOM nodes.
// It reads what a phone shows of them: blocks line by line, then signs inside a line. What it does not know stays text.

import { link, make, preformatted } from "./nodes.js";

const FENCE = /^```\s*([\w+-]*)\s*$/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const BULLET = /^(\s*)([-*•]|\d+[.)])\s+(.*)$/;
const QUOTE = /^(?:>|&gt;)\s?(.*)$/;
const SMALL = /^-# (.*)$/;
const RULE = /^(?:---+|\*\*\*+|___+)$/;
const ROW = /^\|.*\|$/;

/** Inside a line, in Markdown: each pattern with the tag of its first group. Code comes first, nothing is read in it. */
const MARKDOWN = [
  [/`([^`\n]+)`/, "code"],
  [/\*\*\*(?=\S)(.+?)\*\*\*/, "strong"],
  [/\*\*(?=\S)(.+?)\*\*/, "strong"],
  [/__(?=\S)(.+?)__/, "u"],
  [/~~(?=\S)(.+?)~~/, "s"],
  [/\|\|(.+?)\|\|/, "mark"],
  [/\*(?=\S)([^*\n]+?)\*/, "em"],
  [/(?<!\w)_(?=\S)([^_\n]+?)_(?!\w)/, "em"],
];
const MRKDWN = [
  [/`([^`\n]+)`/, "code"],
  [/(?<!\w)\*(?=\S)([^*\n]+?)\*(?!\w)/, "strong"],
  [/(?<!\w)_(?=\S)([^_\n]+?)_(?!\w)/, "em"],
  [/(?<!\w)~(?=\S)([^~\n]+?)~(?!\w)/, "s"],
];
const MARKDOWN_LINK = /\[([^\]\n]+)\]\(<?((?:https?:\/\/|mailto:)[^\s)>]+)>?(?: "[^"]*")?\)|<(https?:\/\/[^\s>]+)>/;
const MRKDWN_LINK = /<((?:https?:\/\/|mailto:)[^|>\s]+)(?:\|([^>\n]+))?>/;
const BARE_LINK = /https?:\/\/[^\s<>)]+[^\s<>).,;:!?]/;
const ESCAPED = /\\([^\sA-Za-z0-9])/;

/** @param {{kind: string, text: string}} part @returns {Node[]} */
export function marked(part) {
  if (part.kind === "divider") return [make("hr")];
  if (part.kind === "header") return [make("p", { class: "heading" }, part.text)];
  if (part.kind === "plain") return [make("p", {}, part.text)];
  if (part.kind === "small") return [make("p", { class: "small" }, part.text)];
  const isSlack = part.kind === "mrkdwn" || part.kind === "context";
  const style = isSlack ? "mrkdwn" : part.kind === "teams" ? "teams" : "markdown";
  const nodes = blocks(part.text.split("\n"), style);
  if (part.kind === "context") return [make("div", { class: "small" }, ...nodes)];
  return part.kind === "embed" ? [make("blockquote", {}, ...nodes)] : nodes;
}

function blocks(lines, style) {
  const nodes = [];
  let words = [];
  const flush = () => {
    if (words.join("").trim()) nodes.push(make("p", {}, ...inline(words.join("\n").replace(/^\n+|\n+$/g, ""), style)));
    words = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const taken = block(lines, at, style);
    if (taken) {
      flush();
      nodes.push(taken.node);
      at = taken.last;
    } else if (lines[at].trim()) words.push(lines[at]);
    else flush();
  }
  flush();
  return nodes;
}

/** What begins in this line and is no paragraph, with the number of its last line; null where nothing does. */
function block(lines, at, style) {
  const line = lines[at];
  const fence = FENCE.exec(line.trim());
  if (fence) return fenced(lines, at, fence[1]);
  const one = (node) => ({ node, last: at });
  if (RULE.test(line.trim())) return one(make("hr"));
  if (style !== "mrkdwn") {
    const heading = HEADING.exec(line);
    if (heading) return one(make("p", { class: "heading" }, ...inline(heading[2], style)));
    const small = SMALL.exec(line);
    if (small) return one(make("p", { class: "small" }, ...inline(small[1], style)));
    if (ROW.test(line.trim())) return table(lines, at, style);
  }
  if (QUOTE.test(line)) return run(lines, at, QUOTE, (quoted) => make("blockquote", {}, ...blocks(quoted.map((each) => each[1]), style)));
  if (BULLET.test(line)) return run(lines, at, BULLET, (items) => list(items, style));
  return null;
}

function fenced(lines, at, language) {
  let last = at + 1;
  while (last < lines.length && lines[last].trim() !== "```") last += 1;
  return { node: preformatted(lines.slice(at + 1, last).join("\n"), language), last };
}

function run(lines, at, pattern, draw) {
  let last = at;
  while (last + 1 < lines.length && pattern.test(lines[last + 1])) last += 1;
  return { node: draw(lines.slice(at, last + 1).map((line) => pattern.exec(line))), last };
}

function list(items, style) {
  const numbered = /\d/.test(items[0][2]);
  const nodes = items.map((item) => {
    const node = make("li", {}, ...inline(item[3], style));
    if (item[1].length > 1) node.className = "deeper";
    return node;
  });
  return numbered ? make("ol", { start: String(parseInt(items[0][2], 10)) }, ...nodes) : make("ul", {}, ...nodes);
}

function table(lines, at, style) {
  return run(lines, at, ROW, (rows) => {
    const cells = rows.map(([row]) => row.trim().slice(1, -1).split("|").map((cell) => cell.trim()));
    const shown = cells.filter((row) => !row.every((cell) => /^:?-+:?$/.test(cell)));
    const body = shown.map((row, number) =>
      make("tr", {}, ...row.map((cell) => make(number ? "td" : "th", {}, ...inline(cell, style)))),
    );
    return make("div", { class: "wide", role: "group", tabindex: "0", "aria-label": "Table" }, make("table", {}, ...body));
  });
}

/** The first sign in a line, whatever it is, then what is inside it and what comes after. */
function inline(text, style) {
  const found = first(text, style);
  const plain = (words) => (style === "markdown" ? words : unescaped(words));
  if (!found) return text ? [plain(text)] : [];
  const { match, node } = found;
  const before = text.slice(0, match.index);
  return [
    ...(before ? [plain(before)] : []),
    node,
    ...inline(text.slice(match.index + match[0].length), style),
  ];
}

function first(text, style) {
  let best = null;
  const look = (pattern, draw) => {
    const match = pattern.exec(text);
    if (match && (!best || match.index < best.match.index)) best = { match, draw };
  };
  const isMarkdown = style !== "mrkdwn";
  if (isMarkdown) look(ESCAPED, (match) => document.createTextNode(match[1]));
  for (const [pattern, tag] of isMarkdown ? MARKDOWN : MRKDWN) {
    look(pattern, (match) => (tag === "code" ? make("code", {}, isMarkdown ? match[1] : unescaped(match[1])) : make(tag, {}, ...inline(match[1], style))));
  }
  if (isMarkdown) look(MARKDOWN_LINK, (match) => (match[3] ? link(match[3], match[3]) : link(match[2], match[1])));
  else look(MRKDWN_LINK, (match) => link(unescaped(match[1]), unescaped(match[2] || match[1])));
  look(BARE_LINK, (match) => link(match[0], match[0]));
  return best && { match: best.match, node: best.draw(best.match) };
}

/** Slack knows these three escapes and no other; of Teams' bots come no others either. */
function unescaped(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
