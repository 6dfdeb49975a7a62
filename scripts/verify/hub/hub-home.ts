import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";

const program = join(import.meta.dir, "upstream.ts");

/** An entry of `mcp_servers.json`. */
type Entry = Readonly<Record<string, unknown>>;
export type Entries = Readonly<Record<string, Entry>>;

/** What `upstream.ts` offers. */
const toolsOfOne = ["about", "big", "read", "write"] as const;

/** A home with MCP servers, a folder for what they write down, and a workspace. */
export class HubHome implements Disposable {
  readonly folder = new TempFolder();
  /** Where `upstream.ts` writes. */
  readonly notes = this.folder.folder("notes");
  readonly workspace = this.folder.folder("workspace");

  /** @param entries given this home */
  constructor(entries: (home: HubHome) => Entries) {
    const mcpServers = entries(this);
    this.folder.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers }));
  }

  get path(): string {
    return this.folder.path;
  }

  [Symbol.dispose](): void {
    this.folder[Symbol.dispose]();
  }
}

/** `s1` to `sN`, all of them `upstream.ts`. @param more members of each entry */
export function testServers(count: number, more: Entry = {}): (home: HubHome) => Entries {
  return ({ notes }) => {
    const names = Array.from({ length: count }, (_, at) => `s${at + 1}`);
    const entry = (name: string): Entry => ({
      command: process.execPath,
      args: [program, notes, name],
      // All tools are listed, whatever the client's name, and calls are not asked about.
      defer: false,
      auto_approve: true,
      ...more,
    });
    return Object.fromEntries(names.map((name) => [name, entry(name)]));
  };
}

/** Tools of `testServers(count)`, as a client lists them. */
export function listedNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) =>
    toolsOfOne.map((tool) => `mcp__s${at + 1}__${tool}`),
  )
    .flat()
    .toSorted();
}

/** Five real servers of Node: those of the protocol's own repository, one of them twice. */
export function nodeServers({ folder }: HubHome): Entries {
  const entry = (name: string, args: readonly string[] = []): Entry => {
    const file = import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
    return { command: "node", args: [fileURLToPath(file), ...args], defer: false };
  };
  return {
    everything: entry("everything", ["stdio"]),
    filesystem: entry("filesystem", [folder.folder("data")]),
    memory: { ...entry("memory"), env: { MEMORY_FILE_PATH: folder.at("memory.json") } },
    other: entry("filesystem", [folder.folder("more")]),
    thinking: entry("sequential-thinking"),
  };
}
