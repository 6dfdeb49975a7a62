import { describe, expect, test } from "bun:test";

import { parseHtml, findElement } from "../../../src/web/dom/parse-html.ts";
import { removeUnseen } from "../../../src/web/extract/remove-unseen.ts";
import { isHidden, lineText } from "../../../src/web/dom/element.ts";

const shown = "<p>What everybody sees, and it is the larger part of the page by far.</p>";
const seen = "What everybody sees, and it is the larger part of the page by far.";

function textOf(html: string): string {
  const body = findElement(parseHtml(html), ({ name }) => name === "body");
  if (body === undefined) return "";
  removeUnseen(body);
  return lineText(body);
}

describe("removeUnseen()", () => {
  test.each([
    ["a script", "<script>no()</script>"],
    ["a style", "<style>no{}</style>"],
    ["a template", "<template><p>no</p></template>"],
    ["a comment", "<!-- no -->"],
    ["a picture in text", "<svg><text>no</text></svg>"],
    ["a field", "<textarea>no</textarea><select><option>no</select>"],
    ["hidden", "<p hidden>no</p>"],
    ["aria-hidden", "<p aria-hidden=true>no</p>"],
    ["display: none", "<p style='color:red; display : none'>no</p>"],
    ["visibility: hidden", "<p style='visibility:hidden'>no</p>"],
    ["letters of no size", "<p style='font-size:0'>no</p>"],
  ])("takes out %s", (_, html) => {
    expect(textOf(shown + html)).toBe(seen);
  });

  test.each([
    ["what a search of the page finds", "<p hidden=until-found>yes</p>"],
    ["the panel of a tab", "<div role=tabpanel hidden>yes</div>"],
    ["what stands in noscript", "<noscript><p>yes</p></noscript>"],
    ["a formula of MathJax", '<script type="math/tex">yes</script>'],
  ])("leaves %s", (_, html) => {
    expect(textOf(`${shown} ${html}`)).toBe(`${seen} yes`);
  });

  test.each([
    ["more than half of the page", 150, "siblings", true],
    ["more than half of the page, deeper", 150, "deeper", true],
    ["less than half of the page", 250, "siblings", false],
    ["less than half of the page, deeper", 250, "deeper", false],
  ])("counts what has left before: 500 characters are %s", (_, shownChars, place, isShown) => {
    const small = `<p hidden>${"a".repeat(100)}</p>`.repeat(3);
    const large = `<div hidden>${"b".repeat(500)}</div>`;
    const html = `<p>${"c".repeat(shownChars)}</p>${small}${place === "deeper" ? `<div>${large}</div>` : large}`;
    expect(textOf(html)).toBe("c".repeat(shownChars) + (isShown ? "b".repeat(500) : ""));
  });

  test("shows what is hidden when it is most of the page: a script is going to", () => {
    const document = parseHtml(
      `<p>Loading</p><div id=root style="display:none">${shown.repeat(4)}</div>`,
    );
    const body = findElement(document, ({ name }) => name === "body");
    if (body === undefined) throw new Error("no body");
    removeUnseen(body);
    const root = findElement(body, ({ attribs }) => attribs["id"] === "root");
    expect(lineText(body)).toBe(`Loading${seen.repeat(4)}`);
    expect(root === undefined || isHidden(root)).toBe(false);
  });
});
