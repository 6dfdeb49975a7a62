import { expect, test } from "bun:test";

import { clientStatesPage } from "../../scripts/docs/client-states.ts";
import { realClients } from "../../scripts/seen/clients.ts";
import { renderPage } from "../../scripts/docs/pages.ts";
import { withQuickFiles } from "../install/killed.ts";
import { readPage } from "./pages.ts";

test("[IN3] [IN4] [IN5] [IN6] docs/reference/client-files.md has what a run gives, and nothing is wrong", () =>
  withQuickFiles(async () => {
    const page = await clientStatesPage();
    const { text } = readPage(page.file);
    expect(renderPage(page, text)).toBe(text);
    expect(text).toContain(", 0 wrong.");
  }));

test("[IN3] [IN6] docs/reference/client-files.md has a row of each client that reads its files, at its version", () => {
  const { text } = readPage("docs/reference/client-files.md");
  const rows = text
    .slice(text.indexOf("<!-- real:begin"))
    .split("\n")
    .filter((line) => /^\| .* \| (?:LF|CRLF) \|/.test(line));
  const wanted = ["claude-code", "codex", "opencode", "gemini-cli", "qwen-code"].flatMap((id) => {
    const client = realClients.find((one) => one.id === id);
    return ["LF", "CRLF"].map((lineEnd) => `| ${client?.title} ${client?.version} | ${lineEnd} |`);
  });
  const starts = rows.map((row) => row.split("|").slice(0, 3).join("|"));
  expect(starts.map((start) => `${start}|`)).toEqual(wanted);
  expect(rows.filter((row) => /NOT|install:/.test(row))).toEqual([]);
});
