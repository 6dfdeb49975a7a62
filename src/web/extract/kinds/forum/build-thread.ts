import { Element, Text } from "domhandler";
import type { ChildNode } from "domhandler";

import type { HtmlElement } from "../../../dom/parse-html.ts";
import { appendNode } from "../append-node.ts";
import { copyContent } from "../copy-content.ts";
import { matchesAny } from "./find-posts.ts";
import type { Thread } from "./thread.ts";

/** A thread as a tree of its own: for each post its author, its time, and a copy of its text. */
export function buildThread({ posts, lead, drop }: Thread): HtmlElement {
  const root = new Element("div", {});
  if (lead !== undefined) appendNode(root, copyContent(lead));
  for (const post of posts) {
    const section = new Element("section", {});
    if (post.author !== "") appendNode(section, paragraph(new Element("strong", {}), post.author));
    if (post.date !== "") appendNode(section, paragraph(undefined, post.date));
    appendNode(
      section,
      copyContent(post.body, (element) => element.name === "form" || matchesAny(element, drop)),
    );
    appendNode(root, section);
  }
  return root;
}

function paragraph(inner: HtmlElement | undefined, text: string): ChildNode {
  const outer = new Element("p", {});
  const holder = inner ?? outer;
  appendNode(holder, new Text(text));
  if (inner !== undefined) appendNode(outer, inner);
  return outer;
}
