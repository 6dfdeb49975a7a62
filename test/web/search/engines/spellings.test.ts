import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { engineIds } from "../../../../src/web/search/engine.ts";
import { fixture, readText } from "./read-fixture.ts";

/** Other ways to write the same page: servers change them from one day to the next. */
const spellings: Readonly<Record<string, (html: string) => string>> = {
  "other classes before, behind and between": (html) =>
    html.replaceAll(
      /(<[a-z][^<>]*?\s)class="([^"<>]*)"/g,
      (_, before: string, classes: string) =>
        `${before}class="new-1 ${classes.trim().split(/\s+/).toReversed().join("  new-2 ")} new-3"`,
    ),
  "attributes in single quotes, on lines of their own": (html) =>
    html.replaceAll(/\s(class|href|id|value)="([^"'<>]*)"/g, "\n\t$1 = '$2'"),
  "names of elements in capitals": (html) =>
    html.replaceAll(
      /<(\/?)(div|a|li|ol|ul|h2|h3|p|span|td|tr)(?=[\s>])/g,
      (_, slash: string, name: string) => `<${slash}${name.toUpperCase()}`,
    ),
  "letters as entities": (html) =>
    html.replaceAll(
      /(<(?:a|h2|h3|p|span|b|em|strong)\b[^<>]*>)([^<>&]+)/g,
      (_, tag: string, text: string) =>
        tag + text.replaceAll(/[aeiou]/g, (letter) => `&#x${letter.charCodeAt(0).toString(16)};`),
    ),
  "comments between elements": (html) =>
    html.replaceAll(/<(div|li|h2|h3|p|a)(?=[\s>])/g, "<!-- x --><$1"),
  "another element around all": (html) =>
    html.replace(/<body[^>]*>/, "$&<main>").replace("</body>", "</main></body>"),
};

const folder = join(import.meta.dir, "../../../fixtures/search");
const pages = engineIds
  .filter((id) => existsSync(join(folder, id)))
  .flatMap((id) =>
    readdirSync(join(folder, id))
      .filter((file) => file.endsWith(".html"))
      .map((file) => [id, file] as const),
  );

describe("a page means the same", () => {
  test.each(Object.entries(spellings))("with %s", async (_, respell) => {
    expect(
      pages.some(([id, file]) => respell(fixture(`${id}/${file}`)) !== fixture(`${id}/${file}`)),
    ).toBe(true);
    for (const [id, file] of pages) {
      const page = fixture(`${id}/${file}`);
      const read = await readText(id, respell(page));
      expect({ id, file, read }).toEqual({ id, file, read: await readText(id, page) });
    }
  });
});
