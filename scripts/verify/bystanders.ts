import { existsSync, readFileSync } from "node:fs";

import { isAlive } from "../../test/e2e/harness/processes.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";

/** Writes down each signal that it gets, and lives on. */
const sentinel =
  'for name in TERM CONT INT HUP QUIT USR1; do trap "echo $name >>$1" $name; done; echo ready >$1; while :; do sleep 1; done';

/** Words before a sentinel: what makes it look like a process of ours. */
const guises: readonly (readonly string[])[] = [
  [],
  ["env", "-i"],
  ["env", `SCORPIOX_OWNER=${"0".repeat(32)}.1`],
  ["prlimit", `--locks=${2n ** 62n}:${2n ** 62n}`],
];

/** Processes of the same user which no server is to touch; one of them is the command of another server. */
export class Bystanders implements AsyncDisposable {
  readonly #folder = new TempFolder();
  readonly #server = new Server();
  readonly #sentinels: { readonly pid: number; readonly file: string; readonly guise: string }[] =
    [];

  static async start(): Promise<Bystanders> {
    const bystanders = new Bystanders();
    await bystanders.#start();
    return bystanders;
  }

  get count(): number {
    return this.#sentinels.length;
  }

  /** Those that are gone, or got a signal. */
  async touched(): Promise<readonly string[]> {
    // What a shell was sent is written down when its sleep is over.
    await Bun.sleep(1_500);
    return this.#sentinels
      .filter(({ pid, file }) => !isAlive(pid) || readFileSync(file, "utf8") !== "ready\n")
      .map(({ guise, file }) => `${guise}: ${readFileSync(file, "utf8")}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { pid } of this.#sentinels) process.kill(pid, "SIGKILL");
    await this.#server[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }

  async #start(): Promise<void> {
    for (const [index, words] of guises.entries()) {
      const file = this.#folder.at(`guise${index}`);
      const argv = [...words, "/bin/bash", "-c", sentinel, "bash", file];
      const { pid } = Bun.spawn(argv, { stdio: ["ignore", "ignore", "ignore"], detached: true });
      this.#sentinels.push({ pid, file, guise: words.join(" ") || "plain" });
    }
    await this.#server.initialize();
    const file = this.#folder.at("task");
    const command = `echo $$ >${file}.pid; exec /bin/bash -c '${sentinel}' bash ${file}`;
    await this.#server.call("BackgroundBash", { command });
    while (!existsSync(file) || this.#sentinels.some((each) => !existsSync(each.file))) {
      await Bun.sleep(10);
    }
    const pid = Number(readFileSync(`${file}.pid`, "utf8"));
    this.#sentinels.push({ pid, file, guise: "another server's command" });
  }
}
