/**
 * `install --move` and `undo` of the compiled program, killed by `strace` before every call that changes the disk: afterwards a
 * server is somewhere at all times, the next command ends what was under way, and `undo` gives every byte back.
 */
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { productBinary } from "../../test/e2e/harness/binary.ts";
import type { Outcome } from "./outcome.ts";

/** Calls by which the program changes files. Each is counted for itself. */
const changing =
  "rename renameat renameat2 unlink unlinkat mkdir mkdirat rmdir write pwrite64 ftruncate fchmod fsync".split(
    " ",
  );
const client = ".cursor/mcp.json";
const text = `${JSON.stringify(
  {
    mcpServers: {
      git: { command: "git-mcp", env: { GITHUB_TOKEN: "theirs" } },
      memory: { command: "npx", args: ["-y", "memory"] },
    },
  },
  undefined,
  2,
)}\n`;

type Killed = "install" | "undo";

export async function checkMoveKills(): Promise<Outcome> {
  const name = "install --move and undo, killed before every change of the disk";
  const strace = Bun.which("strace");
  if (strace === null)
    return { name, passed: false, figures: "not run", faults: ["no strace here"] };
  const faults: string[] = [];
  const rows: (readonly [string, string, string])[] = [];
  let kills = 0;
  for (const killed of ["install", "undo"] as const) {
    for (const isLinked of [false, true]) {
      const ends = { before: 0, after: 0 };
      for (const call of changing) {
        for (let at = 1; ; at++) {
          const home = new Home(isLinked);
          try {
            const end = home.play(killed, [strace, ...injected(call, at)]);
            if (end === "not killed") break;
            kills++;
            if (end === "before" || end === "after") ends[end]++;
            else
              faults.push(
                `${killed} killed before ${call} ${at}${isLinked ? ", linked" : ""}: ${end}`,
              );
          } finally {
            home.remove();
          }
        }
      }
      const file = isLinked ? "a file with two names" : "a file";
      rows.push([
        `${killed}, ${file}`,
        "",
        `${ends.before} ended as before, ${ends.after} as after`,
      ]);
    }
  }
  return {
    name,
    passed: faults.length === 0 && kills > 0,
    figures: `${kills} kills, ${faults.length} wrong`,
    faults,
    details: rows,
  };
}

function injected(call: string, at: number): readonly string[] {
  const inject = `inject=${call}:signal=SIGKILL:when=${at}`;
  return ["-f", "-qq", "-o", "/dev/null", "-e", `trace=${call}`, "-e", inject];
}

class Home {
  readonly #dir = mkdtempSync(join(tmpdir(), "scorpiox-kills-"));

  constructor(isLinked: boolean) {
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, text);
    if (isLinked) linkSync(this.#file, join(this.#dir, "other-name.json"));
  }

  get #file(): string {
    return join(this.#dir, client);
  }

  remove(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }

  /** How it ended once the next command was through; anything but the known words is a fault. */
  play(killed: Killed, tracer: readonly string[]): string {
    if (killed === "undo") this.#run(["install", "cursor", "--move", "--yes"]);
    const words = killed === "undo" ? ["undo", "--yes"] : ["install", "cursor", "--move", "--yes"];
    if (this.#run(words, tracer) === 0) return "not killed";
    if (!this.#clientText.includes("git-mcp") && !this.#own.includes("git"))
      return "in neither place";
    // It ends what was under way, and has nothing else to do.
    this.#run(["undo", "kiro", "--yes"]);
    const isBefore = this.#clientText === text;
    const isGone = !this.#own.includes("git") && !this.#hasSecret;
    const isHere = this.#own.includes("git") && this.#hasSecret;
    if (isBefore ? !isGone : !isHere)
      return `file ${isBefore ? "as before" : "changed"}, config.toml: ${this.#own}`;
    if (!isBefore) this.#run(["undo", "cursor", "--yes"]);
    if (this.#clientText !== text || this.#own !== "" || this.#hasSecret)
      return "undo has not given all back";
    return isBefore ? "before" : "after";
  }

  get #clientText(): string {
    return readFileSync(this.#file, "utf8");
  }

  get #own(): string {
    const file = join(this.#dir, ".scorpiox/config.toml");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  get #hasSecret(): boolean {
    const dir = join(this.#dir, ".scorpiox/secrets");
    return existsSync(dir) && [...new Bun.Glob("*.secret").scanSync(dir)].length > 0;
  }

  #run(words: readonly string[], tracer: readonly string[] = []): number {
    return (
      Bun.spawnSync([...tracer, productBinary, ...words], {
        cwd: this.#dir,
        env: { HOME: this.#dir, PATH: "/usr/bin:/bin", TERM: "dumb" },
        stdio: ["ignore", "ignore", "ignore"],
      }).exitCode ?? -1
    );
  }
}
