import { describe, expect, test } from "bun:test";

import { defaultServerOptions } from "../../../src/upstream/config/entry-options.ts";
import { readPage } from "../../docs/pages.ts";
import { ServerTree } from "./server-tree.ts";

const { text } = readPage("docs/mcp-servers.md");
const blocks = [...text.matchAll(/^```(toml|json|text)\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", body = ""]) => [language, body] as const,
);

const files: Readonly<Record<string, string>> = {
  toml: "home/.scorpiox/config.toml",
  json: "home/.scorpiox/mcp_servers.json",
  text: "home/.scorpiox/scorpiox-env.txt",
};

describe("docs/mcp-servers.md", () => {
  test.each(
    blocks.filter(([, body]) => /MCP_SERVER|server/i.test(body) && !body.includes("column")),
  )("its %s examples are read without a word: %.40j", (language, body) => {
    using tree = new ServerTree({ [files[language] ?? ""]: body });
    const { problems, servers } = tree.told();
    expect([problems, servers.length]).toEqual([[], 2]);
  });

  test("each default of its table is the one that holds", () => {
    const rows = [...text.matchAll(/^\| `(\w+)`\s+\| `([^`]*)`\s+\|/gm)];
    const told = Object.fromEntries(rows.map(([, key, value]) => [key, value]));
    const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);
    const held = Object.entries({ enabled: true, ...defaultServerOptions })
      .filter(([name]) => name !== "deny")
      .map(([name, value]) => [
        snake(name),
        typeof value === "string" ? value : JSON.stringify(value),
      ]);
    expect(told).toEqual(Object.fromEntries(held));
  });
});
