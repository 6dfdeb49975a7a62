/**
 * Real clients from npm read their files after `install`, in each state and with both line ends, and after `undo`. Writes the table
 * of docs/reference/client-files.md.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { productBinary, root } from "../../test/e2e/harness/binary.ts";
import { pageTable } from "../docs/markdown.ts";
import { replaceBlock } from "../docs/marked-block.ts";
import { type RealClient, realClients } from "../seen/clients.ts";
import { installClient } from "../seen/install-clients.ts";
import type { Outcome } from "./outcome.ts";

/** How a client is asked for its servers. */
interface Asked {
  /** Its id in `realClients`, and as `install` has it. */
  readonly id: string;
  readonly installId: string;
  /** Its file of the user, below the home folder. */
  readonly file: string;
  /** Prints its servers, with their commands. */
  readonly list: readonly string[];
  /** Adds a server; absent: it has no such command that works without a terminal. */
  readonly add?: readonly string[];
  /** A file with an entry of the user's, which is not started: `mcp list` of some tries to. */
  readonly own: string;
}

const add = ["mcp", "add", "--scope", "user", "other", "/bin/false"];
const json =
  '{\n  // mine\n  "mcpServers": {\n    "own": { "command": "/bin/false" } // here\n  }\n}\n';

const asked: readonly Asked[] = [
  {
    id: "claude-code",
    installId: "claude-code",
    file: ".claude.json",
    list: ["mcp", "list"],
    add,
    // It reads plain JSON.
    own: '{\n  "mcpServers": {\n    "own": { "command": "/bin/false" }\n  }\n}\n',
  },
  {
    id: "codex",
    installId: "codex",
    file: ".codex/config.toml",
    list: ["mcp", "list", "--json"],
    add: ["mcp", "add", "other", "--", "/bin/false"],
    own: '# mine\n[mcp_servers.own] # here\ncommand = "/bin/false"\n',
  },
  {
    id: "opencode",
    installId: "opencode",
    file: ".config/opencode/opencode.json",
    list: ["debug", "config"],
    own: '{\n  // mine\n  "mcp": {\n    "own": { "type": "local", "command": ["/bin/false"] } // here\n  }\n}\n',
  },
  {
    id: "gemini-cli",
    installId: "gemini",
    file: ".gemini/settings.json",
    list: ["mcp", "list"],
    add,
    own: json,
  },
  {
    id: "qwen-code",
    installId: "qwen",
    file: ".qwen/settings.json",
    list: ["mcp", "list"],
    add,
    own: json,
  },
];

const page = join(root, "docs/reference/client-files.md");

export async function checkClientFiles(): Promise<Outcome> {
  const rows: (readonly string[])[] = [];
  const faults: string[] = [];
  for (const one of asked) {
    const client = realClients.find(({ id }) => id === one.id);
    if (client === undefined) continue;
    const installed = installClient(client);
    if ("reason" in installed) {
      faults.push(`${client.title} was not run: ${installed.reason}`);
      continue;
    }
    for (const [name, lineEnd] of [
      ["LF", "\n"],
      ["CRLF", "\r\n"],
    ] as const) {
      const own = one.own.replaceAll("\n", lineEnd);
      const at = (text: string | undefined, isWritten = false): Promise<string> =>
        new Place(one, client, installed.bin).play(text, isWritten);
      const cells = [await at(undefined), await at(""), await at(own)];
      cells.push(one.add === undefined ? "–" : await at(own, true));
      rows.push([
        `${client.title} ${client.version}`,
        name,
        `\`${client.bin} ${one.list.join(" ")}\``,
        ...cells,
      ]);
      faults.push(
        ...cells
          .filter((cell) => /NOT|:/.test(cell))
          .map((cell) => `${client.title}, ${name}: ${cell}`),
      );
    }
  }
  const table = pageTable(
    [
      "client",
      "line ends",
      "asked by",
      "no file",
      "empty",
      "own entry, comments",
      "written by its own command in between",
    ],
    rows,
  );
  if (faults.length === 0) {
    writeFileSync(page, replaceBlock(readFileSync(page, "utf8"), "real", table, page));
  }
  return {
    name: "real clients read their files in each state",
    passed: faults.length === 0,
    figures: `${rows.length} rows of ${asked.length} clients`,
    faults,
  };
}

/** One client in an empty home. */
class Place {
  readonly #home = mkdtempSync(join(tmpdir(), "scorpiox-files-"));

  constructor(
    readonly asked: Asked,
    readonly client: RealClient,
    readonly bin: string,
  ) {}

  get #file(): string {
    return join(this.#home, this.asked.file);
  }

  get #text(): string | undefined {
    return existsSync(this.#file) ? readFileSync(this.#file, "utf8") : undefined;
  }

  async play(text: string | undefined, isWritten: boolean): Promise<string> {
    const { installId, list } = this.asked;
    try {
      mkdirSync(dirname(this.#file), { recursive: true });
      if (text !== undefined) writeFileSync(this.#file, text);
      const installing = await this.#run([productBinary, "install", installId, "--yes"]);
      if (!installing.includes("was changed") && !installing.includes("was created"))
        return `install: ${installing.trim().slice(-300)}`;
      const written = this.#text;
      const seen = await this.#ask(list);
      if (!seen.includes("scorpiox-code") || !seen.includes(productBinary))
        return `NOT read: ${seen.trim().slice(-300)}`;
      const hasOwn = (text ?? "") !== "";
      if (hasOwn && !/\bown\b/.test(seen)) return `own entry NOT read: ${seen.trim().slice(-300)}`;
      if (isWritten) await this.#ask(this.asked.add ?? []);
      const isSame = this.#text === written;
      await this.#run([productBinary, "undo", "--yes"]);
      const read = hasOwn ? "read, 1 own" : "read";
      if (isSame && this.#text === text)
        return `${read}, ${text === undefined ? "no file again" : "exact"}`;
      const left = await this.#ask(list);
      const isOut = !left.includes(productBinary) && (!isWritten || /\bother\b/.test(left));
      const isKept = !hasOwn || /\bown\b/.test(left);
      return isOut && isKept
        ? `${read}, only the entry out`
        : `NOT undone: ${left.trim().slice(-300)}`;
    } finally {
      rmSync(this.#home, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  #ask(words: readonly string[]): Promise<string> {
    return this.#run([join(this.bin, this.client.bin), ...words]);
  }

  async #run(words: readonly string[]): Promise<string> {
    const child = Bun.spawn([...words], {
      cwd: this.#home,
      env: {
        HOME: this.#home,
        PATH: `${this.bin}${delimiter}${process.env["PATH"] ?? ""}`,
        TERM: "dumb",
        NO_COLOR: "1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        GEMINI_CLI_TRUST_WORKSPACE: "true",
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
      },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 120_000,
      killSignal: "SIGKILL",
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    await child.exited;
    return Bun.stripANSI(`${stdout}${stderr}`);
  }
}
