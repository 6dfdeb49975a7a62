import { describe, expect, test } from "bun:test";
import { isTag, isText } from "domhandler";
import type { ChildNode } from "domhandler";

import { keepBlocks } from "../../../../src/web/extract/blocks/keep-blocks.ts";
import { pageBlocks } from "./page-blocks.ts";

/** The tree as text: names, and what is in them. */
function shape(nodes: readonly ChildNode[]): string {
  return nodes
    .map((node) => {
      if (isText(node)) return node.data.trim();
      if (!isTag(node)) return "";
      return node.children.length === 0
        ? `<${node.name}>`
        : `<${node.name} ${shape(node.children)}>`;
    })
    .filter((part) => part !== "")
    .join(" ");
}

/** What is left when the blocks that contain "no" go. */
function kept(html: string): string {
  const { page, blocks } = pageBlocks(html);
  const isKept = blocks.map(({ text }) => !text.includes("no"));
  const root = keepBlocks(page.body, blocks, isKept);
  return `${root.name}: ${shape(root.children)}`;
}

describe("keepBlocks()", () => {
  test.each([
    ["blocks that are not kept go", "<p>a<p>no<p>b", "body: <p a> <p b>"],
    [
      "the root is the innermost box around all that is kept",
      "<nav>no</nav><main><div id=x><p>a<p>b</div></main>",
      "div: <p a> <p b>",
    ],
    ["a list is not a root", "<div><ul><li>a<li>no</ul></div>", "div: <ul <li a>>"],
    ["text of the box itself stays", "<div>a<p>no</p>b</div>", "div: a b"],
    [
      "inline elements stay with their block",
      "<p>a <b>b</b> <a href=x>c</a></p><p>no <i>no</i></p>",
      "body: <p a <b b> <a c>>",
    ],
    [
      "a picture beside kept text stays",
      "<p>a</p><p><img src=x></p><p>b</p>",
      "body: <p a> <p <img>> <p b>",
    ],
    [
      "a picture beside nothing kept goes",
      "<p>a</p><div><p>no</p><figure><img src=x></figure></div>",
      "body: <p a>",
    ],
    [
      "what has lost its text goes, pictures and all",
      "<p>a</p><div><img src=x>  no</div><p>b</p>",
      "body: <p a> <p b>",
    ],
    [
      "a box whose text follows much white space is no picture",
      `<p>a</p><div><img src=x>${" ".repeat(500)}<p>no</p></div>`,
      "body: <p a>",
    ],
    ["nothing", "<p>no", "body: "],
  ])("%s", (_, html, expected) => {
    expect(kept(html)).toBe(expected);
  });
});
