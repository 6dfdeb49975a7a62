import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { freePort } from "../../e2e/harness/free-port.ts";

/** Where `postgres` and `initdb` are; Debian keeps them off PATH. Undefined where there are none. */
const programs = ((): string | undefined => {
  const packaged = "/usr/lib/postgresql";
  const versions = existsSync(packaged) ? readdirSync(packaged) : [];
  const folders = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(packaged, version, "bin"));
  return [...folders, ...(process.env["PATH"] ?? "").split(":")].find(
    (folder) => existsSync(join(folder, "postgres")) && existsSync(join(folder, "initdb")),
  );
})();

/** Tests that need a PostgreSQL are skipped where there is none. */
export const hasPostgres = programs !== undefined && process.platform === "linux";

const superuser = "scorpiox";

const clustersBytesMin = 4 * 1024 ** 3;

/**
 * The parent of the folders of those that need no disk: memory, where there is enough of it. To copy a cluster onto a disk
 * takes a third of a second of processor time, and a tenth of that in memory.
 */
export const clustersFolder = ((): string => {
  const memory = "/dev/shm";
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize < clustersBytesMin ? tmpdir() : memory;
})();

export interface PostgresOptions {
  /** False is enough unless a power cut is played: what was written survives a kill of the engine. Default: false. */
  readonly fsync?: boolean;
  /** More settings, such as `{ max_connections: "8" }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Serves TLS with a certificate for `localhost` of its own, and demands it of TCP clients with `only`. */
  readonly tls?: "offered" | "only";
  /** The parent of its folder, such as a small file system. Default: `clustersFolder`; with `fsync`, a disk. */
  readonly under?: string;
}

interface UrlParts {
  readonly password?: string;
  readonly port?: number;
  readonly query?: string;
}

let cluster: Promise<string> | undefined;

/** A PostgreSQL of one test's own: a new cluster on a free port in a temporary folder, gone with the test. */
export class Postgres implements AsyncDisposable {
  readonly port = freePort();
  readonly #folder: string;
  readonly #options: PostgresOptions;
  readonly #guard: Bun.Subprocess<"pipe">;
  #process: Bun.Subprocess | undefined;

  private constructor(options: PostgresOptions) {
    this.#options = options;
    const { fsync = false, under = fsync ? tmpdir() : clustersFolder } = options;
    this.#folder = mkdtempSync(join(under, "scorpiox-postgres-"));
    chmodSync(this.#folder, 0o755);
    this.#guard = Bun.spawn(["sh", "-c", guardScript, "sh", this.#folder], {
      stdin: "pipe",
      stdout: "ignore",
      stderr: "ignore",
      detached: true,
    });
  }

  static async start(options: PostgresOptions = {}): Promise<Postgres> {
    const postgres = new Postgres(options);
    try {
      await postgres.#create();
      await postgres.start();
      return postgres;
    } catch (error) {
      await postgres[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Another one that follows it, and is only read until `promote`. */
  async standby(): Promise<Postgres> {
    const standby = new Postgres(this.#options);
    try {
      await standby.#follow(this);
      await standby.start();
      return standby;
    } catch (error) {
      await standby[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Makes a standby the primary; resolves when it can be written. */
  async promote(): Promise<void> {
    const sql = this.client();
    await sql`SELECT pg_promote()`;
    await sql.close();
  }

  readonly password = "a secret of tests";

  /** As `STORE_URL` has it. */
  get url(): string {
    return this.urlWith({});
  }

  /** With another password, through another port such as that of a proxy, or with parameters (`?sslmode=require`). */
  urlWith({ password = this.password, port = this.port, query = "" }: UrlParts): string {
    const host = `localhost:${port}`;
    return `postgres://${superuser}:${encodeURIComponent(password)}@${host}/postgres${query}`;
  }

  /** The certificate that it serves TLS with. */
  get certificatePath(): string {
    return join(this.#folder, "server.crt");
  }

  /** What it has logged. */
  get log(): string {
    return readFileSync(join(this.#folder, "log"), "utf8");
  }

  /** A client that is not of the product. Close it. */
  client(max = 1): Bun.SQL {
    const query = this.#options.tls === undefined ? "" : "?sslmode=require";
    return new Bun.SQL(this.urlWith({ query }), { max });
  }

  /** Starts it, after `kill` or `stop` too; resolves when it answers. */
  async start(): Promise<void> {
    for (;;) {
      // Behind what the one before has written: its last words say why this one does not start.
      const log = openSync(join(this.#folder, "log"), "a");
      const started = this.#run("postgres", ["-D", join(this.#folder, "data")], log);
      closeSync(log);
      this.#process = started;
      if (await this.#answers(started)) return;
      // Processes of the one that was killed hold its shared memory for a moment.
      if (!/pre-existing shared memory|lock file .* already exists/.test(this.log.slice(-2_000))) {
        throw new Error(`postgres does not start:\n${this.log.slice(-2_000)}`);
      }
      await Bun.sleep(20);
    }
  }

  /** As a machine that goes away: without a word to its clients' transactions. */
  async kill(): Promise<void> {
    const running = this.#process;
    if (running === undefined) return;
    const children = childrenOf(running.pid);
    running.kill("SIGKILL");
    for (const child of children) sendSignal(child, "SIGKILL");
    await running.exited;
  }

  /** Stops all of its processes where they are, as one that hangs; `resume` has them go on. */
  pause(): void {
    this.#signalAll("SIGSTOP");
  }

  resume(): void {
    this.#signalAll("SIGCONT");
  }

  /** An orderly end, which rolls back what is under way. */
  async stop(): Promise<void> {
    this.#process?.kill("SIGINT");
    await this.#process?.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#guard.stdin.end();
    await this.#guard.exited;
  }

  /** A copy of a cluster of this process: `initdb` takes a second of processor time, copying it a tenth. */
  async #create(): Promise<void> {
    cluster ??= Postgres.#initialized();
    writeFileSync(join(this.#folder, "log"), "");
    if (isRoot) await finished(Bun.spawn(["chown", "-R", unprivileged(), this.#folder]));
    const data = join(this.#folder, "data");
    const copy = ["cp", "-a", "--reflink=auto", await cluster, data];
    await finished(Bun.spawn(copy, { stdio: ["ignore", "ignore", "inherit"] }));
    await this.#configure(data);
  }

  /** The data of a new cluster, which nobody starts; its folder goes with this process. */
  static async #initialized(): Promise<string> {
    const maker = new Postgres({});
    await maker.#initialize();
    return join(maker.#folder, "data");
  }

  async #initialize(): Promise<void> {
    const passwordFile = join(this.#folder, "password");
    writeFileSync(passwordFile, this.password);
    if (isRoot) await finished(Bun.spawn(["chown", "-R", unprivileged(), this.#folder]));
    const data = join(this.#folder, "data");
    const local = ["--username", superuser, "--pwfile", passwordFile, "--auth=scram-sha-256"];
    const form = ["--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"];
    await finished(this.#run("initdb", ["-D", data, ...local, ...form], "ignore"));
  }

  async #follow(primary: Postgres): Promise<void> {
    writeFileSync(join(this.#folder, "log"), "");
    if (isRoot) await finished(Bun.spawn(["chown", "-R", unprivileged(), this.#folder]));
    const data = join(this.#folder, "data");
    const from = `host=127.0.0.1 port=${primary.port} user=${superuser} password='${primary.password}'`;
    await finished(
      this.#run(
        "pg_basebackup",
        ["-D", data, "-R", "-X", "stream", "-c", "fast", "-d", from],
        "ignore",
      ),
    );
    // The last line of a name counts.
    const own = `port = '${this.port}'\nunix_socket_directories = '${this.#folder}'\n`;
    appendFileSync(join(data, "postgresql.auto.conf"), own);
  }

  async #configure(data: string): Promise<void> {
    const { tls, fsync = false, settings = {} } = this.#options;
    if (tls !== undefined) await this.#makeCertificate();
    const all = {
      listen_addresses: "127.0.0.1",
      port: String(this.port),
      unix_socket_directories: this.#folder,
      fsync: fsync ? "on" : "off",
      // Little, since many of them run at once.
      shared_buffers: "16MB",
      max_connections: "100",
      autovacuum: "off",
      // In the folder: what a killed engine has in the shared memory of the system, nobody removes.
      dynamic_shared_memory_type: "mmap",
      ...(tls === undefined
        ? {}
        : { ssl: "on", ssl_cert_file: "../server.crt", ssl_key_file: "../server.key" }),
      ...settings,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'`);
    writeFileSync(join(data, "postgresql.auto.conf"), `${lines.join("\n")}\n`);
    const kind = tls === "only" ? "hostssl" : "host";
    const access = [
      `local all all scram-sha-256`,
      `${kind} all all 127.0.0.1/32 scram-sha-256`,
      `${kind} replication all 127.0.0.1/32 scram-sha-256`,
    ];
    writeFileSync(join(data, "pg_hba.conf"), `${access.join("\n")}\n`);
  }

  async #makeCertificate(): Promise<void> {
    const files = ["-keyout", "server.key", "-out", "server.crt"];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    await finished(
      Bun.spawn(asOwner(["openssl", "req", "-x509", ...key, "-days", "2", ...files, ...subject]), {
        cwd: this.#folder,
        stdout: "ignore",
        stderr: "ignore",
      }),
    );
  }

  #run(program: string, args: readonly string[], output: number | "ignore"): Bun.Subprocess {
    return Bun.spawn(asOwner([join(programs ?? "", program), ...args]), {
      cwd: this.#folder,
      env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" },
      stdin: "ignore",
      stdout: output,
      stderr: output,
    });
  }

  /** False when it has ended instead. */
  async #answers(started: Bun.Subprocess): Promise<boolean> {
    while (started.exitCode === null && started.signalCode === null) {
      const sql = this.client();
      try {
        await sql`SELECT 1`;
        return true;
      } catch {
        await Bun.sleep(20);
      } finally {
        await sql.close({ timeout: 0 }).catch(() => undefined);
      }
    }
    return false;
  }

  #signalAll(signal: NodeJS.Signals): void {
    const { pid } = this.#process ?? {};
    if (pid === undefined) return;
    for (const each of [pid, ...childrenOf(pid)]) sendSignal(each, signal);
  }
}

const isRoot = process.getuid?.() === 0;

/** PostgreSQL refuses to run as root. */
function unprivileged(): string {
  const users = readFileSync("/etc/passwd", "utf8");
  return /^postgres:/m.test(users) ? "postgres" : "nobody";
}

function asOwner(command: readonly string[]): string[] {
  if (!isRoot) return [...command];
  const user = unprivileged();
  // It becomes the command, so that the process id is the engine's.
  return ["setpriv", `--reuid=${user}`, "--clear-groups", ...command];
}

/**
 * Waits until the test is gone, by its end or in the middle, and takes away what it leaves. A process id may have passed to
 * another program: the folder in its command line says whether it has not.
 */
const guardScript = `cat >/dev/null
for try in 1 2 3 4 5 6 7 8 9 10; do
  pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
  [ -n "$pid" ] && grep -q "$1" "/proc/$pid/cmdline" 2>/dev/null || break
  kill -CONT "$pid"
  kill -QUIT "$pid"
  sleep 0.2
done
rm -rf "$1"`;

function childrenOf(parent: number): number[] {
  try {
    const listed = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8");
    return listed.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

async function finished(command: Bun.Subprocess): Promise<void> {
  const code = await command.exited;
  if (code !== 0) throw new Error(`a command for PostgreSQL ended with ${code}`);
}
