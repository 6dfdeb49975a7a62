import { entryName } from "../../../src/install/install-targets.ts";
import { clientArguments } from "./client-arguments.ts";

/** The words that start the npm package: a link is the same for everybody, so that it cannot name a path. */
const command = "npx";

function argumentsOf(id: string): readonly string[] {
  return ["-y", "scorpiox-code", ...clientArguments(id)];
}

/** The page that opens Cursor and asks whether to add the entry. */
export function cursorLink(): string {
  const entry = JSON.stringify({ command, args: argumentsOf("cursor") });
  const config = encodeURIComponent(Buffer.from(entry).toString("base64"));
  return `https://cursor.com/en-US/install-mcp?name=${entryName}&config=${config}`;
}

/** The address that opens VS Code and asks whether to add the entry. */
export function codeLink(): string {
  const entry = { name: entryName, type: "stdio", command, args: argumentsOf("vscode") };
  return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(entry))}`;
}
