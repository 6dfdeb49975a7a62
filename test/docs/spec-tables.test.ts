import { expect, test } from "bun:test";

import { engineIds } from "../../src/base/search-engine-ids.ts";
import { catalogueCards } from "../../src/tools/catalogue-cards.macro.ts";
import { engineOf } from "../../src/web/search/engines/engines.ts";
import { readPage } from "./pages.ts";

/** The cells of the rows whose first cell matches, without backticks. */
function rowsOf(file: string, first: RegExp): string[][] {
  return readPage(file)
    .text.split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")))
    .filter(([, cell = ""]) => first.test(cell))
    .map((cells) => cells.slice(1, -1));
}

test("docs/spec/tools.md has the tools, their parameters and which are required", () => {
  const listed = catalogueCards().map(({ listing: { name, inputSchema } }) => {
    const required = (inputSchema["required"] ?? []) as string[];
    const properties = Object.entries((inputSchema["properties"] ?? {}) as Record<string, Field>);
    const parameters = properties.map(
      ([field, { type }]) => `${field}${required.includes(field) ? "*" : ""} ${type}`,
    );
    return [name, parameters.join(", ") || "–"];
  });
  const rows = rowsOf("docs/spec/tools.md", /^[A-Z]\w+$/);
  expect(rows.map(([name, parameters]) => [name, parameters?.replaceAll("\\*", "*")])).toEqual(
    listed,
  );
});

interface Field {
  readonly type?: string;
}

test("docs/spec/search.md has the engines in their order, their indexes and weights", () => {
  const rows = rowsOf("docs/spec/search.md", /^(?!engine$)[a-z]+$/);
  expect(rows).toEqual(
    engineIds.map((id) => {
      const { provider, weight } = engineOf(id);
      return [id, provider, `${weight}`];
    }),
  );
});
