import { copyFileSync, existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

import { ensureBuilt, productBinary } from "../../../test/e2e/harness/binary.ts";
import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { textOf } from "../../../test/e2e/harness/messages.ts";
import { Server, type ServerOptions } from "../../../test/e2e/harness/server.ts";
import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";

/** What the holder of a hub's lock has written about itself. */
export interface LockRecord {
  readonly pid: number;
  readonly generation: number;
  readonly program: string;
  readonly socket?: string;
}

export interface UserHomeOptions {
  /** Whom all of it belongs to; absent = who runs this. */
  readonly uid?: number;
  /** Of the executable; absent = a copy of the product. */
  readonly program?: string;
}

/** Needs nothing that another user may not read. */
export const python = "/usr/bin/python3";

/** The unprivileged user of the checks that root runs. */
export const nobody = 65_534;

/** A home folder with a copy of the program, one upstream server, and the clients and hubs of one user. */
export class UserHome implements AsyncDisposable {
  readonly #base = new TempFolder();
  readonly #clients: Server[] = [];
  readonly uid: number | undefined;
  readonly home = this.#base.folder("home");
  readonly program = this.#base.at("home/bin/scorpiox-code");
  /** An upstream server gets it in its environment: what nobody else may learn by way of the hub. */
  readonly canary = `canary-${crypto.randomUUID()}`;
  /** Exists once a tool was called that the rules forbid. */
  readonly forbidden = this.#base.at("home/forbidden");

  constructor({ uid, program }: UserHomeOptions = {}) {
    this.uid = uid;
    ensureBuilt(productBinary);
    this.#base.folder("home/bin");
    copyFileSync(program ?? productBinary, this.program);
    this.configure();
  }

  /** Writes its files, where another file system has been put in their place. */
  configure(): void {
    const upstream = this.#base.write("home/up.py", upstreamProgram);
    const entry = {
      command: python,
      args: ["-I", upstream, this.forbidden],
      env: { CANARY: this.canary },
    };
    const deny = { tool: "mcp__up__forbidden", action: "deny" };
    this.write("home/.scorpiox/mcp_servers.json", JSON.stringify({ mcpServers: { up: entry } }));
    this.write("home/.scorpiox/policy.jsonc", JSON.stringify({ rules: [deny] }));
  }

  at(...names: string[]): string {
    return this.#base.at(...names);
  }

  write(name: string, text: string): string {
    const path = this.#base.write(name, text);
    this.give();
    return path;
  }

  workspace(name: string): string {
    const path = this.#base.folder(name);
    this.give();
    return path;
  }

  /** After root has made something in it. */
  give(): void {
    if (this.uid === undefined) return;
    Bun.spawnSync(["chown", "-R", "-h", `${this.uid}:${this.uid}`, this.#base.path]);
  }

  /** Words before a program, so that it is this user's. */
  get asUser(): readonly string[] {
    const { uid } = this;
    return uid === undefined
      ? []
      : ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
  }

  environment(env: Readonly<Record<string, string | undefined>> = {}): Record<string, string> {
    const all = { HOME: this.home, PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8", ...env };
    return Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  }

  /** A client's server in a workspace, ready for calls. */
  async client(workspace: string, options: ServerOptions = {}): Promise<Server> {
    const server = this.idleClient(workspace, options);
    await server.initialize();
    return server;
  }

  /** The same before the first request: it needs no hub yet. */
  idleClient(workspace: string, { env = {}, wrap = [], ...options }: ServerOptions = {}): Server {
    const server = new Server({
      binary: this.program,
      home: this.#base,
      cwd: workspace,
      ...options,
      bareEnv: this.environment({ SCORPIOX_POLICY_CAUTIONS: "false", ...env }),
      wrap: [...this.asUser, ...wrap],
    });
    this.#clients.push(server);
    return server;
  }

  /** Runs a command of the program to its end, as a person would. */
  async run(
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
    const child = Bun.spawn([...this.asUser, this.program, ...words], {
      cwd: this.home,
      env: this.environment(env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stdout, stderr, exitCode] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    return { exitCode, stdout, stderr };
  }

  /** The folders of hubs, whether or not one runs there. */
  get places(): readonly string[] {
    const run = join(this.home, ".scorpiox/run");
    if (!existsSync(run)) return [];
    return readdirSync(run)
      .filter((name) => name.startsWith("hub-"))
      .map((name) => join(run, name));
  }

  /** Hubs that run, with their places. */
  get hubs(): readonly (LockRecord & { readonly place: string })[] {
    return this.places.flatMap((place) => {
      const record = readRecord(place);
      return record !== undefined && this.isOurs(record.pid) ? [{ ...record, place }] : [];
    });
  }

  /** The one hub that runs and listens. */
  async hub(): Promise<LockRecord & { readonly place: string; readonly socket: string }> {
    return await eventually("a hub that listens", () => {
      const [hub, ...others] = this.hubs;
      if (others.length > 0) throw new Error(`${others.length + 1} hubs run`);
      return hub?.socket === undefined ? undefined : { ...hub, socket: hub.socket };
    });
  }

  /** Processes that run something of this home, except those in `spared`. */
  processes(spared: readonly number[] = []): readonly { pid: number; command: string }[] {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && pid !== process.pid && !spared.includes(pid))
      .filter((pid) => this.isOurs(pid))
      .map((pid) => ({ pid, command: read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim() }));
  }

  isOurs(pid: number): boolean {
    const path = this.#base.path;
    return (
      stateOf(pid) !== "Z" &&
      (linkOf(`/proc/${pid}/exe`).startsWith(path) ||
        read(`/proc/${pid}/environ`).includes(path) ||
        read(`/proc/${pid}/cmdline`).includes(path))
    );
  }

  /** Waits until nothing of all this runs; what does then is named. */
  async nothingLeft(): Promise<readonly string[]> {
    try {
      await eventually("nothing left", () => this.processes().length === 0);
      return [];
    } catch {
      return this.processes().map(({ pid, command }) => `${pid} ${command}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.signal("SIGKILL");
    await Promise.all(this.#clients.map((client) => client.exited));
    for (const { pid } of this.processes()) kill(pid);
    await eventually("the end of all", () => this.processes().length === 0);
    this.#base[Symbol.dispose]();
  }
}

/** The process of the upstream server that answers this client. */
export async function upstreamOf(client: Server): Promise<number> {
  const text = textOf(await client.call("mcp__up__pid"));
  const pid = Number(/^pid (\d+)/.exec(text)?.[1]);
  if (!Number.isInteger(pid)) throw new Error(`the upstream server did not answer: ${text}`);
  return pid;
}

function readRecord(place: string): LockRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(place, "lock"), "utf8")) as LockRecord;
  } catch {
    return undefined;
  }
}

/** SIGKILL to a process that this check has started, unless it is gone. */
function kill(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function stateOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
}

export function parentOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** A command of a server has started it, or was it before: it has the limit that they have. */
export function isOfCommand(pid: number): boolean {
  return !/^Max file locks\s+unlimited\s+unlimited/m.test(read(`/proc/${pid}/limits`));
}

/** An upstream server: says which process it is, and has a tool that nobody is allowed to call. */
const upstreamProgram = `
import json, os, sys
def answer(request, **members):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **members}) + "\\n")
    sys.stdout.flush()
for line in sys.stdin:
    request = json.loads(line)
    method, params = request.get("method"), request.get("params", {})
    if method == "initialize":
        answer(request, result={"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                                "serverInfo": {"name": "up", "version": "1"}})
    elif method == "tools/list":
        tools = [{"name": name, "description": name, "inputSchema": {"type": "object"}} for name in ("pid", "forbidden")]
        answer(request, result={"tools": tools})
    elif method == "tools/call":
        if params["name"] == "forbidden":
            open(sys.argv[1], "w").close()
        answer(request, result={"content": [{"type": "text", "text": "pid %d " % os.getpid()}]})
    elif "id" in request:
        answer(request, error={"code": -32601, "message": "unknown"})
`;
