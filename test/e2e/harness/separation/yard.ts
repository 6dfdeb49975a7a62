import { chownSync, lchownSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../binary.ts";
import { type HttpClient, onlyMessage } from "../http-client.ts";
import { HttpServer } from "../http-server.ts";
import { PageServer } from "../page-server.ts";
import { TempFolder } from "../temp-folder.ts";
import { Canaries, OtherProgram, plantFiles } from "./things.ts";

const alice = "alice-0123456789abcdef";
const bob = "bob-0123456789abcdefgh";
const fixture = join(root, "test/fixtures/upstream/main.ts");

export interface SeparationYardOptions {
  readonly args?: readonly string[];
  /** Whom the server and its files belong to; absent: who runs this. */
  readonly uid?: number;
}

/** Calls of one principal. */
export class Person {
  constructor(private readonly client: HttpClient) {}

  /** The whole reply as text, whatever it is. */
  async call(name: string, args: object = {}): Promise<string> {
    return this.ask("tools/call", { name, arguments: args });
  }

  async ask(method: string, params: Readonly<Record<string, unknown>>): Promise<string> {
    const { result, error } = onlyMessage(await this.client.modern(method, params));
    return JSON.stringify(error ?? result);
  }

  /** The text of a command's result. */
  async bash(command: string, timeout = 20_000): Promise<string> {
    return textIn(await this.call("Bash", { command, timeout }));
  }
}

function textIn(reply: string): string {
  const { content }: { readonly content?: readonly { readonly text?: string }[] } =
    JSON.parse(reply);
  return content?.map(({ text }) => text ?? "").join("\n") ?? reply;
}

/** What A leaves behind, as far as B needs it to look. */
export interface Left {
  readonly work: string;
  readonly home: string;
  readonly tmp: string;
  /** The file of a long output. */
  readonly output: string;
  readonly result: string;
  readonly plan: string;
  readonly page: string;
}

/** A server for A and B, with secrets of its own and of A in every place that is known. */
export class SeparationYard implements AsyncDisposable {
  readonly canaries = new Canaries();
  readonly home = new TempFolder();
  readonly files: ReadonlyMap<string, string>;
  readonly other: OtherProgram;
  readonly pages = new PageServer();
  readonly #options: SeparationYardOptions;
  #server: HttpServer | undefined;

  constructor(options: SeparationYardOptions = {}) {
    this.#options = options;
    const { canaries, home } = this;
    home.folder(".scorpiox/run");
    home.write(
      ".scorpiox/mcp_servers.json",
      JSON.stringify({
        mcpServers: {
          notes: {
            command: process.execPath,
            args: [fixture, JSON.stringify({ tools: ["pid"], name: "notes" })],
            env: { NOTES_KEY: canaries.of("environment of an MCP server") },
          },
        },
      }),
      0o600,
    );
    this.files = plantFiles(home, canaries);
    writeFileSync(home.at("picture.png"), tinyPng);
    this.other = new OtherProgram(home, canaries);
  }

  async start(): Promise<void> {
    const { uid, args = [] } = this.#options;
    const { canaries, home } = this;
    await this.other.listen(canaries);
    this.#server = await HttpServer.start({
      home,
      tokens: [`alice ${alice}`, `bob ${bob}`, `# ${canaries.of("token file")}`],
      args: ["--metrics", ...args],
      env: {
        ...this.pages.env,
        SCORPIOX_AUDIT: "1",
        SCORPIOX_AUDIT_COMMANDS: "1",
        SECRETS_KEY: canaries.of("secret of the start"),
        OPERATORS_TOKEN: canaries.of("environment of the server"),
      },
      beforeStart: () => {
        if (uid !== undefined) own(home.path, uid);
      },
      ...(uid === undefined
        ? {}
        : { wrap: ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"] }),
    });
  }

  get server(): HttpServer {
    if (this.#server === undefined) throw new Error("the yard has not started");
    return this.#server;
  }

  get a(): Person {
    return new Person(this.server.client.withToken(alice));
  }

  get b(): Person {
    return new Person(this.server.client.withToken(bob));
  }

  /** A works: everything that a person leaves on a server. */
  async work(): Promise<Left> {
    const { a, canaries } = this;
    const of = (name: string): string => canaries.of(name);
    const lines = await a.bash(
      `echo '${of("file in A's workspace")}' > secret.txt; echo '${of("file in A's home")}' > ~/.a-notes; pwd; echo ~`,
    );
    const [work = "", home = ""] = lines.split("\n");
    await a.bash(`printf %s '${tinyPng.toString("base64")}' | base64 -d > picture.png`);
    // With its canary in its environment, its command line, and a file of its own that is open.
    const running = [
      `export A_TOKEN='${of("environment of A's command")}'`,
      `echo '${of("TMPDIR of A's command")}' > "$TMPDIR/mine"`,
      `exec 9<secret.txt`,
      `echo "tmp-is:$TMPDIR: ${of("output of A's background task")}"`,
      `sh -c 'sleep 3000; true' '${of("command line of A's command")}'`,
    ].join("\n");
    await a.call("BackgroundBash", { command: running });
    const started = await a.call("ReadBgOutput", { task_id: 1, wait_ms: 5_000 });
    const tmp = /tmp-is:([^:]+):/.exec(started)?.[1] ?? "";
    const long = await a.call("Bash", {
      command: `seq 1 20000; echo '${of("saved output of A")}'; seq 1 20000`,
    });
    await a.call("TaskManager", { action: "create", query: "", text: of("store (A's tasks)") });
    const planned = await a.call("PlanMode", { action: "enter", goal: "secret plan" });
    const plan = /Plan file: ([^\s\\"]+)/.exec(planned)?.[1] ?? "";
    await a.bash(`echo '${of("A's plan")}' >> '${plan}'`);
    await a.call("PlanMode", { action: "reset" });
    await a.call("SetCallback", { action: "set", message: of("A's reminder"), delay_seconds: 600 });
    const page = `${this.pages.origin}/page.txt`;
    await a.call("ReadDocs", { url: page });
    await a.call("mcp__notes__pid");
    return {
      work,
      home,
      tmp,
      output: /([^\s"'\\]+\/results\/[^\s"'\\]+\.txt)/.exec(long)?.[1] ?? "",
      result: /(scorpiox:\/\/[^\s"'\\]+)/.exec(long)?.[1] ?? "",
      plan,
      page,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    await this.pages[Symbol.asyncDispose]();
    await this.other[Symbol.asyncDispose]();
    this.home[Symbol.dispose]();
  }
}

/** One red pixel. */
const tinyPng = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

function own(path: string, uid: number): void {
  lchownSync(path, uid, uid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) own(inside, uid);
    else if (entry.isSocket()) chownSync(inside, uid, uid);
    else lchownSync(inside, uid, uid);
  }
}
