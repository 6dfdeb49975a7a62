import packages from "../../package.json";
import { editableClients } from "../../src/install/find-client.ts";
import { cellNames, cellsOf, readerOf } from "../../test/install/state-cells.ts";
import { pageTable } from "./markdown.ts";
import type { GeneratedPage } from "./pages.ts";

const lineEnds = [
  ["LF", "\n"],
  ["CRLF", "\r\n"],
] as const;

/** Runs `install` and `undo` on a file of each client in each state: some seconds, with hundreds of files. */
export async function clientStatesPage(): Promise<GeneratedPage> {
  const rows: (readonly string[])[] = [];
  for (const client of editableClients) {
    for (const [name, lineEnd] of lineEnds) {
      rows.push([
        client.title,
        name,
        readBy(readerOf(client).name),
        ...(await cellsOf(client, lineEnd)),
      ]);
    }
  }
  const cells = rows.flatMap((row) => row.slice(3));
  const wrong = cells.filter((cell) => /\b[A-Z]{3,}\b/.test(cell)).length;
  const figures = `${editableClients.length} clients, ${cells.length} results, ${wrong} wrong.`;
  const table = pageTable(["client", "line ends", "read by", ...cellNames], rows);
  return {
    file: "docs/reference/client-files.md",
    blocks: new Map([["states", `${figures}\n\n${table}`]]),
  };
}

function readBy(name: string): string {
  const version = (packages.devDependencies as Readonly<Record<string, string>>)[name];
  return version === undefined ? `\`${name}\`` : `\`${name}\` ${version}`;
}
