/**
 * `install --move` and back, with real clients and three real MCP servers from npm. Each client has the servers in its own file,
 * by its own command where it has one, and a scripted model on loopback has it call a tool of each: directly, by way of
 * scorpiox-code once they are moved, and directly again after `undo`.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { productBinary, root } from "../../test/e2e/harness/binary.ts";
import { type RealClient, realClients } from "../seen/clients.ts";
import { installClient } from "../seen/install-clients.ts";
import { type ScriptedCall, startModel } from "../seen/model-endpoint.ts";
import { readServers, setEntry } from "../../src/install/edit/entry-text.ts";
import { clientNamed } from "../../src/install/find-client.ts";
import type { Entry } from "../../src/install/install-targets.ts";
import { type Outcome, seconds } from "./outcome.ts";
import { type Ran, runProgram } from "./run-program.ts";

/** How a client gets the servers, and how it is started. */
interface Mover {
  /** Its id in `realClients`, and as `install` has it. */
  readonly id: string;
  readonly installId: string;
  /** Its file of the user, below the home folder. */
  readonly file: string;
  /** Its own command that adds a server; absent: it has none that works without a terminal. */
  readonly add?: (server: MovedServer) => readonly string[];
  /** Words in place of those of `RealClient.start`, whose servers are not in its file. */
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Members of each entry that its command cannot set. */
  readonly members?: Entry;
}

interface MovedServer {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A value that its name makes a secret: it must be neither in the diff nor in a file that others read, and arrive all the same. */
const secret = "scorpiox-s3cret-42";
const word = "scorpiox-moved-word";
const entity = { entityType: "word", observations: ["moved"] };
/** As the server gives it, and as scorpiox-code shows an answer that has a secret of an entry. */
const secretSeen = /scorpiox-s3cret-42|EVERYTHING_TOKEN\W+\*\*\*/;
/** A client that does not wait for its servers may ask its model before they have answered. */
const triesMax = 3;

const movers: readonly Mover[] = [
  {
    id: "claude-code",
    installId: "claude-code",
    file: ".claude.json",
    add: ({ name, command, env }) => [
      "mcp",
      "add-json",
      "--scope",
      "user",
      name,
      JSON.stringify({ type: "stdio", command: command[0], args: command.slice(1), env }),
    ],
    words: ["-p", "Call the tools.", "--allowedTools"].concat(
      ["everything", "files", "memory", "scorpiox-code"].map((name) => `mcp__${name}`).join(","),
    ),
    // Without a terminal it may ask its model before its servers have answered.
    env: { MCP_CONNECTION_NONBLOCKING: "0" },
  },
  {
    id: "gemini-cli",
    installId: "gemini",
    file: ".gemini/settings.json",
    add: addTrusted,
  },
  {
    id: "codex",
    installId: "codex",
    file: ".codex/config.toml",
    add: ({ name, command, env }) => [
      "mcp",
      "add",
      ...pairs(env).flatMap((pair) => ["--env", pair]),
      name,
      "--",
      ...command,
    ],
    // It asks its model before its servers have answered, but for these.
    members: { required: true },
  },
  {
    id: "qwen-code",
    installId: "qwen",
    file: ".qwen/settings.json",
    add: addTrusted,
  },
  // Its `mcp add` asks in a terminal.
  { id: "opencode", installId: "opencode", file: ".config/opencode/opencode.json" },
];

/** As Gemini CLI and its descendant have it. */
function addTrusted({ name, command, env }: MovedServer): readonly string[] {
  const given = pairs(env).map((pair) => `--env=${pair}`);
  return ["mcp", "add", "--scope", "user", "--trust", ...given, name, ...command];
}

function pairs(env: MovedServer["env"]): readonly string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}

export async function checkMove(): Promise<Outcome> {
  const rows: (readonly [string, string, string])[] = [];
  const faults: string[] = [];
  for (const mover of movers) {
    const client = realClients.find(({ id }) => id === mover.id);
    if (client === undefined) continue;
    const installed = installClient(client);
    const title = `${client.title} ${client.version}`;
    if ("reason" in installed) {
      rows.push([title, "not run", installed.reason]);
      continue;
    }
    const startedAt = performance.now();
    const stage = new Stage(mover, client, installed.bin);
    try {
      await stage.play();
    } finally {
      stage.remove();
    }
    faults.push(...stage.faults.map((fault) => `${title}: ${fault}`));
    rows.push([
      title,
      stage.faults.length === 0 ? stage.told.join("; ") : "failed",
      seconds(performance.now() - startedAt),
    ]);
  }
  const run = rows.filter(([, result]) => result !== "not run");
  const passed = run.filter(([, result]) => result !== "failed").length;
  return {
    name: "install --move and back, three real servers",
    passed: faults.length === 0 && run.length >= 3,
    figures: `${passed} of ${run.length} clients, ${passed * 3 * 4} tools called`,
    faults,
    details: rows,
  };
}

/** One client in an empty home. */
class Stage {
  readonly faults: string[] = [];
  /** What was seen to be right. */
  readonly told: string[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "scorpiox-move-"));
  readonly #home = join(this.#folder, "home");
  readonly #work = join(this.#folder, "work");

  constructor(
    readonly mover: Mover,
    readonly client: RealClient,
    readonly bin: string,
  ) {}

  async play(): Promise<void> {
    mkdirSync(this.#work, { recursive: true });
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(join(this.#work, "word.txt"), `${word}\n`);
    await this.#giveServers();
    await this.#callTools("directly");
    await this.#exactBytes();
    await this.#thereAndBack();
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  get #file(): string {
    return join(this.#home, this.mover.file);
  }

  get #servers(): readonly MovedServer[] {
    const script = (name: string): string =>
      join(root, "node_modules/@modelcontextprotocol", `server-${name}`, "dist/index.js");
    return [
      {
        name: "everything",
        command: ["node", script("everything")],
        env: { EVERYTHING_TOKEN: secret },
      },
      { name: "files", command: ["node", script("filesystem"), this.#work], env: {} },
      {
        name: "memory",
        command: ["node", script("memory")],
        env: { MEMORY_FILE_PATH: join(this.#folder, "memory.jsonl") },
      },
    ];
  }

  /** A tool of each server, and the secret that the first one got. An entity can be created only once. */
  #script(how: string, isHidden: boolean): readonly ScriptedCall[] {
    const script = [
      ["everything", "echo", { message: `${word}-echoed` }],
      ["everything", "get-env", {}],
      ["files", "read_text_file", { path: join(this.#work, "word.txt") }],
      ["memory", "create_entities", { entities: [{ ...entity, name: `${word} ${how}` }] }],
    ] as const;
    if (!isHidden) return script.map(([, tool, args]) => ({ tool, args }));
    const calls = script.map(([server, tool, args]) => ({
      tool: "tool_call",
      args: { name: `mcp__${server}__${tool}`, arguments: args },
    }));
    // A model that is told that a server is starting waits.
    return [{ tool: "Bash", args: { command: "sleep 4" } }, ...calls];
  }

  /** The client's settings with no server but those three. */
  async #giveServers(): Promise<void> {
    const { mover, client } = this;
    const { files } = client.start(this.#startOf("http://127.0.0.1:9"));
    const target = clientNamed(mover.installId);
    for (const [path, text] of Object.entries(files)) {
      if (path !== this.#file) continue;
      const own = mover.add === undefined ? this.#withServers(text) : withoutServer(text, path);
      writeFileSync(path, own);
    }
    for (const server of mover.add === undefined ? [] : this.#servers) {
      const { code, text } = await this.#run(mover.add?.(server) ?? []);
      if (code !== 0) this.faults.push(`its own command did not add ${server.name}: ${text}`);
    }
    const entries = Object.entries(this.#entries());
    for (const [name, entry] of mover.members === undefined ? [] : entries) {
      const set = { ...entry, ...mover.members };
      writeFileSync(this.#file, setEntry(this.#file, this.#text(), target.home, name, set));
    }
    const names = entries.map(([name]) => name).sort();
    if (names.join() !== "everything,files,memory")
      this.faults.push(`its file has the servers ${names.join()}`);
  }

  /** opencode's form. */
  #withServers(text: string): string {
    const settings = JSON.parse(text) as Record<string, unknown>;
    const mcp = this.#servers.map(({ name, command, env }) => [
      name,
      { type: "local", command, environment: env, enabled: true },
    ]);
    return `${JSON.stringify({ ...settings, mcp: Object.fromEntries(mcp) }, null, 2)}\n`;
  }

  #startOf(origin: string): Parameters<RealClient["start"]>[0] {
    const server = { key: "placeholder", command: "none", args: [] };
    return { home: this.#home, work: this.#work, origin, server };
  }

  #entries(): Readonly<Record<string, Entry>> {
    const { home } = clientNamed(this.mover.installId);
    return (readServers(this.#file, this.#text(), home) ?? {}) as Record<string, Entry>;
  }

  #text(): string {
    return readFileSync(this.#file, "utf8");
  }

  /** Has the client call the tools; all answers must be what the servers give. */
  async #callTools(how: string, isHidden = false): Promise<void> {
    const wanted = [`${word}-echoed`, secretSeen, word, `${word} ${how}`];
    let fault = "";
    for (let tries = 1; tries <= triesMax; tries++) {
      const script = this.#script(`${how}, ${tries}`, isHidden);
      await using model = startModel(script);
      const text = await this.#playTo(model.origin);
      const results = model.results().slice(-wanted.length);
      const told = results.map((result) => JSON.stringify(result ?? null));
      const wrong = wanted.flatMap((want, index) =>
        (told[index] ?? "").search(want) !== -1
          ? []
          : [`${JSON.stringify(script.at(index - wanted.length))}: ${told[index]}`],
      );
      if (wrong.length === 0) {
        const times = tries === 1 ? "" : `, at try ${tries}`;
        this.told.push(`${wanted.length} tools called ${how}${times}`);
        return;
      }
      fault = `${how}: ${wrong.join("; ").slice(0, 900)}; not offered: ${model.missing.join()}; ${text.trim().slice(-300)}`;
      if (model.missing.length === 0 && !/Try again in \d/.test(fault)) break;
    }
    this.faults.push(fault);
  }

  /** Where the model listens is in the file of some clients: another port each time. */
  async #playTo(origin: string): Promise<string> {
    const { args } = this.client.start(this.#startOf(origin));
    const loopback = /http:\/\/127\.0\.0\.1:\d+/g;
    const [written = origin] = this.#text().match(loopback) ?? [];
    writeFileSync(this.#file, this.#text().replaceAll(loopback, origin));
    const { text } = await this.#run(this.mover.words ?? args, origin);
    writeFileSync(this.#file, this.#text().replaceAll(loopback, written));
    return text;
  }

  /** Nothing writes the file in between. The client's own command is out of reach, so that ours edits it. */
  async #exactBytes(): Promise<void> {
    const before = readFileSync(this.#file);
    const moving = await this.#scorpiox(
      ["install", this.mover.installId, "--move", "--yes"],
      false,
    );
    if (moving.text.includes(secret)) this.faults.push("install has printed the secret");
    if (before.equals(readFileSync(this.#file))) this.faults.push("install --move wrote nothing");
    this.#isMoved();
    await this.#scorpiox(["undo", "--yes"], false);
    if (before.equals(readFileSync(this.#file))) this.told.push("undo byte for byte");
    else this.faults.push("undo has not given every byte back");
  }

  async #thereAndBack(): Promise<void> {
    const { defersItself = false } = clientNamed(this.mover.installId);
    const [before, was] = [this.#text(), this.#entries()];
    await this.#scorpiox(["install", this.mover.installId, "--move", "--yes"]);
    this.#isMoved();
    const moved = this.#text();
    await this.#callTools("by way of scorpiox-code", !defersItself);
    const isWritten = this.#text() !== moved;
    await this.#scorpiox(["undo", "--yes"]);
    const is = this.#entries();
    if (!Bun.deepEquals(was, is))
      this.faults.push(`after undo its servers are ${JSON.stringify(is)}`);
    const isExact = before === this.#text();
    if (!isWritten && !isExact && this.mover.installId !== "claude-code")
      this.faults.push("undo has not given every byte back after the client's run");
    const own = join(this.#home, ".scorpiox");
    const left = await Bun.$`grep -rl ${secret} ${own}`.nothrow().quiet().text();
    if (left.trim() !== "") this.faults.push(`the secret is left in ${left}`);
    await this.#callTools("directly again");
  }

  /** The client starts none of them itself any more, and they are here without their secret. */
  #isMoved(): void {
    const { off } = clientNamed(this.mover.installId);
    const servers = this.#entries();
    for (const { name } of this.#servers) {
      const entry = servers[name];
      const isOff =
        off === undefined
          ? entry === undefined
          : entry !== undefined && Bun.deepEquals({ ...entry, ...off }, entry);
      if (!isOff) this.faults.push(`${name} is still on in its file`);
    }
    const own = readFileSync(join(this.#home, ".scorpiox/config.toml"), "utf8");
    if (own.includes(secret)) this.faults.push("the secret is in config.toml");
  }

  async #scorpiox(words: readonly string[], hasClient = true): Promise<Ran> {
    const env = { HOME: this.#home, PATH: hasClient ? this.#path : "/usr/bin:/bin", TERM: "dumb" };
    const ran = await runProgram([productBinary, ...words], env, this.#work);
    if (ran.code !== 0) this.faults.push(`${words.join(" ")}: ${ran.text.trim()}`);
    return ran;
  }

  get #path(): string {
    return [this.bin, process.env["PATH"] ?? ""].join(delimiter);
  }

  async #run(words: readonly string[], origin = "http://127.0.0.1:9"): Promise<Ran> {
    const { env } = this.client.start(this.#startOf(origin));
    const all = {
      ...env,
      ...this.mover.env,
      CI: "1",
      HOME: this.#home,
      NO_COLOR: "1",
      PATH: this.#path,
      TERM: "xterm",
      TMPDIR: this.#folder,
    };
    return runProgram([join(this.bin, this.client.bin), ...words], all, this.#work);
  }
}

/** What `RealClient.start` writes has a server, which is not wanted here. */
function withoutServer(text: string, file: string): string {
  if (file.endsWith(".toml")) return text.slice(0, text.indexOf("[mcp_servers."));
  const { mcpServers: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return `${JSON.stringify(rest, null, 2)}\n`;
}
