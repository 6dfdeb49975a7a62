import { createServer, type Server as SocketServer } from "node:net";
import { rmSync, writeFileSync } from "node:fs";
import type { TempFolder } from "../temp-folder.ts";

/** A text that is in one place only; whoever can say it has been there. */
export type Canary = string;

/** Makes canaries, and remembers which there are. */
export class Canaries {
  readonly #made = new Map<string, Canary>();

  of(name: string): Canary {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const made = `canary${crypto.randomUUID().replaceAll("-", "")}`;
    this.#made.set(name, made);
    return made;
  }
}

/** Files of the server and of its user, by the name of the thing. `HOME` is that of the server. */
const files: Readonly<Record<string, string>> = {
  "state key": ".scorpiox/state.key",
  "http-token": ".scorpiox/http-token",
  "secrets folder": ".scorpiox/secrets/api.secret",
  "logins of MCP servers": ".scorpiox/logins.json",
  "policy file": ".scorpiox/policy.jsonc",
  "http.toml": ".scorpiox/http.toml",
  "configuration with a key": ".scorpiox/scorpiox-env.txt",
  "log of an MCP server": ".scorpiox/logs/notes.log",
  "browser profile": ".scorpiox/browser/profile-1-2-3-x/Cookies",
  "principalDir of A": ".scorpiox/principals/token-alice/memory.jsonl",
  "kept task": ".scorpiox/kept/tasks/1/output",
  "run folder": ".scorpiox/run/1.json",
  "cached tool lists": ".scorpiox/cache/mcp/notes.json",
  "git credentials": ".git-credentials",
  "SSH key": ".ssh/id_ed25519",
  netrc: ".netrc",
  "npm token": ".npmrc",
  "cloud credentials": ".aws/credentials",
  "Claude's credentials": ".claude/.credentials.json",
  "shell history": ".bash_history",
  "keychain of the desktop": ".local/share/keyrings/login.keyring",
  "project of the server's user": "projects/secret/README.md",
};

/** Comments where a file has a form. */
function textOf(path: string, canary: Canary): string {
  if (path.endsWith(".toml") || path.endsWith("env.txt")) return `# ${canary}\n`;
  if (path.endsWith(".jsonc")) return `// ${canary}\n{}\n`;
  if (path.endsWith(".json")) return JSON.stringify({ note: canary });
  return `${canary}\n`;
}

/** Writes them before the server starts. @returns the path of each, by its name */
export function plantFiles(home: TempFolder, canaries: Canaries): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(files).map(([name, path]) => [
      name,
      home.write(path, textOf(path, canaries.of(name)), 0o600),
    ]),
  );
}

/** What another program of this machine has open while B looks. */
export class OtherProgram implements AsyncDisposable {
  readonly #http: Bun.Server<undefined>;
  readonly #sockets: SocketServer[] = [];
  readonly #files: string[] = [];
  readonly #sharedMemory = makeSharedMemory();
  readonly paths: {
    readonly socket: string;
    readonly abstractName: string;
    readonly tmp: string;
    readonly varTmp: string;
    readonly shm: string;
    readonly run: string;
  };

  constructor(home: TempFolder, canaries: Canaries) {
    const id = crypto.randomUUID().slice(0, 8);
    this.paths = {
      socket: home.at(".scorpiox/run", `${id}.sock`),
      abstractName: `scorpiox-${id}`,
      tmp: `/tmp/other-${id}`,
      varTmp: `/var/tmp/core-${id}`,
      shm: `/dev/shm/other-${id}`,
      run: `/run/other-${id}`,
    };
    this.#http = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response(`${canaries.of("service on loopback")}\n`),
    });
    for (const [name, path] of [
      ["file in /tmp", this.paths.tmp],
      ["core dump in /var/tmp", this.paths.varTmp],
      ["file in /dev/shm", this.paths.shm],
      ["file in /run", this.paths.run],
    ] as const) {
      this.#plant(path, canaries.of(name));
    }
  }

  /** The id of a segment of System V that belongs to it; empty without the program that makes one. */
  get sharedMemory(): string {
    return this.#sharedMemory;
  }

  get port(): number {
    return this.#http.port ?? 0;
  }

  /** Sockets that say their canary to everybody. */
  async listen(canaries: Canaries): Promise<void> {
    await this.#say(this.paths.socket, canaries.of("socket by path"));
    await this.#say(`\0${this.paths.abstractName}`, canaries.of("abstract socket"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#http.stop(true);
    for (const server of this.#sockets) server.close();
    for (const file of this.#files) rmSync(file, { force: true });
    if (this.#sharedMemory !== "") Bun.spawnSync(["ipcrm", "-m", this.#sharedMemory]);
  }

  /** `/run` is for root. */
  #plant(path: string, canary: Canary): void {
    try {
      writeFileSync(path, `${canary}\n`, { mode: 0o644 });
      this.#files.push(path);
    } catch {
      // Then nobody finds it, and the run without bounds says so.
    }
  }

  #say(path: string, canary: Canary): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const server = createServer((socket) => void socket.end(`${canary}\n`));
    server.once("error", reject);
    server.listen(path, resolve);
    this.#sockets.push(server);
    return promise;
  }
}

function makeSharedMemory(): string {
  try {
    const made = Bun.spawnSync(["ipcmk", "-M", "4096", "-p", "0644"]).stdout.toString();
    return /\d+/.exec(made)?.[0] ?? "";
  } catch {
    return "";
  }
}
