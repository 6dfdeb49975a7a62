import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { eventually } from "./harness/conditions.ts";
import { isError, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);

const program = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
);

interface Case {
  /** Folders beside the project, as arguments: `data` is there. */
  readonly folders: readonly string[];
  readonly roots?: unknown;
  /** What the client offers besides the project. */
  readonly offers?: readonly string[];
  /** Of those that there are: what the server lets be read. */
  readonly reads: readonly ("data" | "more" | "project")[];
}

/** The real server replaces its arguments by the roots that it is told of. */
async function readable({ folders, roots, offers }: Case): Promise<readonly string[]> {
  using home = new TempFolder();
  const places = ["data", "more", "project"].map((name) => {
    home.write(`${name}/file.txt`, `text of ${name}`);
    return [name, home.folder(name)] as const;
  });
  home.folder("project/.git");
  const pathOf = (name: string): string => places.find(([each]) => each === name)?.[1] ?? name;
  const args = [program, ...folders.map(pathOf)];
  const listed = Array.isArray(roots) ? roots.map(pathOf) : roots;
  const files = {
    command: process.execPath,
    args,
    ...(roots === undefined ? {} : { roots: listed }),
  };
  home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers: { files } }));
  await using server = new Server({ home, cwd: pathOf("project") });
  const uris = ["project", ...(offers ?? [])].map((name) => pathToFileURL(pathOf(name)).href);
  server.onMessage(({ id, method }) => {
    if (method !== "roots/list" || id === undefined) return;
    server.send({ jsonrpc: "2.0", id, result: { roots: uris.map((uri) => ({ uri })) } });
  });
  await server.initialize("2025-11-25", "e2e", offers === undefined ? {} : { roots: {} });
  const isUp = async (): Promise<boolean> =>
    !isError(await server.call("mcp__files__list_allowed_directories"));
  await eventually("the server", isUp);
  const read: string[] = [];
  for (const [name, path] of places) {
    const reply = await server.call("mcp__files__read_text_file", { path: join(path, "file.txt") });
    if (!isError(reply) && textOf(reply).includes(`text of ${name}`)) read.push(name);
  }
  return read;
}

describe("@modelcontextprotocol/server-filesystem", () => {
  test.each<readonly [string, Case]>([
    ...onlyLong<readonly [string, Case]>([
      ["keeps the folders that its arguments name", { folders: ["data"], reads: ["data"] }],
      ["keeps one that is relative", { folders: ["../data"], reads: ["data"] }],
    ]),
    [
      "keeps several of them",
      { folders: ["data", "../more"], offers: [], reads: ["data", "more"] },
    ],
    ["has the project when it names none", { folders: [], reads: ["project"] }],
    [
      'has only the project by roots = "workspace"',
      { folders: [], roots: "workspace", offers: ["more"], reads: ["project"] },
    ],
    [
      "has all folders of the client when it names none",
      { folders: [], offers: ["more"], reads: ["more", "project"] },
    ],
    [
      'has those of the client by roots = "client", whatever it names',
      { folders: ["data"], roots: "client", offers: ["more"], reads: ["more", "project"] },
    ],
    [
      "has the folders of the entry",
      { folders: ["data"], roots: ["more", "../data"], offers: [], reads: ["data", "more"] },
    ],
  ])("[gateway.roots] %s", async (_what, given) => {
    expect(await readable(given)).toEqual(given.reads);
  });
});
