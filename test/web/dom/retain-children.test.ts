import { describe, expect, test } from "bun:test";
import { type ChildNode, isTag } from "domhandler";

import { parseHtml, findElement, retainChildren } from "../../../src/web/dom/parse-html.ts";

const nameOf = (node: ChildNode | null): string | null =>
  node === null ? null : isTag(node) ? node.name : node.type;

describe("retainChildren()", () => {
  test.each([
    ["the first", "a", ["b", "i"]],
    ["one in the middle", "b", ["a", "i"]],
    ["the last", "i", ["a", "b"]],
    ["none", "u", ["a", "b", "i"]],
  ])("takes %s out and links the rest", (_, removed, expected) => {
    const body = findElement(parseHtml("<a></a><b></b><i></i>"), ({ name }) => name === "body");
    if (body === undefined) throw new Error("no body");
    const before = body.children;
    retainChildren(body, (child) => nameOf(child) !== removed);
    const gone = before.filter((child) => !body.children.includes(child));
    expect({
      names: body.children.map(nameOf),
      forward: body.children.map(({ next }) => nameOf(next)),
      backward: body.children.map(({ prev }) => nameOf(prev)),
      gone: gone.map(({ parent, prev, next }) => [parent, prev, next]),
    }).toEqual({
      names: expected,
      forward: [...expected.slice(1), null],
      backward: [null, ...expected.slice(0, -1)],
      gone: expected.length === 3 ? [] : [[null, null, null]],
    });
  });
});
