import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
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
  /** Its name in the configuration. */
  readonly name: string;
  /** Folders beside the project, as arguments: `data` is there. */
  readonly folders: readonly string[];
  readonly roots?: unknown;
  /** Of those that there are: what the server lets be read. */
  readonly reads: readonly ("data" | "more" | "project")[];
}

/** A client with a project whose user has all of these servers. */
class Client implements AsyncDisposable {
  readonly #home = new TempFolder();
  readonly #server: Server;
  readonly #places = ["data", "more", "project"];

  /** @param offers what the client offers besides the project; undefined: it has no roots */
  constructor(cases: readonly Case[], offers: readonly string[] | undefined) {
    for (const name of this.#places) this.#home.write(`${name}/file.txt`, `text of ${name}`);
    this.#home.folder("project/.git");
    const entries = cases.map(({ name, folders, roots }) => {
      // The real server replaces its arguments by the roots that it is told of.
      const args = [program, ...folders.map((each) => this.#pathOf(each))];
      const listed = Array.isArray(roots) ? roots.map((each) => this.#pathOf(each)) : roots;
      const told = roots === undefined ? {} : { roots: listed };
      return [name, { command: process.execPath, args, ...told }] as const;
    });
    const mcpServers = Object.fromEntries(entries);
    this.#home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers }));
    this.#server = new Server({ home: this.#home, cwd: this.#pathOf("project") });
    this.#offer(["project", ...(offers ?? [])]);
  }

  static async start(cases: readonly Case[], offers: readonly string[] | undefined) {
    const client = new Client(cases, offers);
    const capabilities = offers === undefined ? {} : { roots: {} };
    await client.#server.initialize("2025-11-25", "e2e", capabilities);
    return client;
  }

  /** The places that a server lets be read. */
  async readable(name: string): Promise<readonly string[]> {
    await eventually("the server", async () => {
      return !isError(await this.#server.call(`mcp__${name}__list_allowed_directories`));
    });
    const read: string[] = [];
    for (const place of this.#places) {
      const path = join(this.#pathOf(place), "file.txt");
      const reply = await this.#server.call(`mcp__${name}__read_text_file`, { path });
      if (!isError(reply) && textOf(reply).includes(`text of ${place}`)) read.push(place);
    }
    return read;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    this.#home[Symbol.dispose]();
  }

  #pathOf(name: string): string {
    return this.#places.includes(name) ? this.#home.at(name) : name;
  }

  #offer(names: readonly string[]): void {
    const roots = names.map((name) => ({ uri: pathToFileURL(this.#pathOf(name)).href }));
    this.#server.onMessage(({ id, method }) => {
      if (method !== "roots/list" || id === undefined) return;
      this.#server.send({ jsonrpc: "2.0", id, result: { roots } });
    });
  }
}

type Rows = readonly (readonly [what: string, given: Case])[];

/** What such a client offers besides the project, and the servers that it has. */
const clients: readonly (readonly [
  who: string,
  offers: readonly string[] | undefined,
  rows: Rows,
])[] = [
  [
    "of a client without roots",
    undefined,
    [
      ...onlyLong<Rows[number]>([
        [
          "keeps the folders that its arguments name",
          { name: "named", folders: ["data"], reads: ["data"] },
        ],
        ["keeps one that is relative", { name: "near", folders: ["../data"], reads: ["data"] }],
      ]),
      ["has the project when it names none", { name: "none", folders: [], reads: ["project"] }],
    ],
  ],
  [
    "of a client with the project",
    [],
    [
      [
        "keeps several folders that its arguments name",
        { name: "several", folders: ["data", "../more"], reads: ["data", "more"] },
      ],
      [
        "has the folders of the entry",
        { name: "own", folders: ["data"], roots: ["more", "../data"], reads: ["data", "more"] },
      ],
    ],
  ],
  [
    "of a client with one more folder",
    ["more"],
    [
      [
        'has only the project by roots = "workspace"',
        { name: "workspace", folders: [], roots: "workspace", reads: ["project"] },
      ],
      [
        "has all folders of the client when it names none",
        { name: "none", folders: [], reads: ["more", "project"] },
      ],
      [
        'has those of the client by roots = "client", whatever it names',
        { name: "client", folders: ["data"], roots: "client", reads: ["more", "project"] },
      ],
    ],
  ],
];

describe.each(clients)("@modelcontextprotocol/server-filesystem %s", (_who, offers, rows) => {
  let client: Client;
  beforeAll(async () => {
    const cases = rows.map(([, given]) => given);
    client = await Client.start(cases, offers);
  });
  afterAll(() => client[Symbol.asyncDispose]());

  test.each(rows)("[gateway.roots] %s", async (_what, { name, reads }) => {
    expect(await client.readable(name)).toEqual(reads);
  });
});
