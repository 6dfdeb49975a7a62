import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";
import { copyOf } from "../binaries.ts";
import { Connection } from "../client/connection.ts";
import type { Launch } from "../client/spawn.ts";
import { HttpServer } from "../http/http-server.ts";

/** One of two executables that are compared: a fresh copy for each turn, and a home of its own. */
export class Side implements Disposable {
  readonly home = new TempFolder();
  readonly #binary: string;
  readonly #env: Readonly<Record<string, string>>;
  #copy: string;

  /** @param env what is in the environment besides */
  constructor(binary: string, env: Readonly<Record<string, string>>) {
    this.#binary = binary;
    this.#copy = binary;
    this.#env = env;
  }

  /**
   * Copies the executable once more: one copy starts quicker than another one of the same bytes, for as long as it exists. With
   * one copy for all turns that would look like a difference of the two executables.
   */
  renew(): void {
    this.#copy = copyOf(this.#binary, this.home.path, "scorpiox-code");
    // The first start reads what the others find in memory.
    using first = this.start();
    first.initialize();
  }

  /** A new server process; the caller disposes of it. */
  start(...args: string[]): Connection {
    return new Connection(this.#launch(args));
  }

  startHttp(): HttpServer {
    return new HttpServer(this.#launch(["serve", "--http", "127.0.0.1:0"]));
  }

  sizeMb(): number {
    return Bun.file(this.#copy).size / 1e6;
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]();
  }

  #launch(args: readonly string[]): Launch {
    const { PATH = "/usr/bin:/bin" } = process.env;
    const home = this.home.path;
    const env = { PATH, HOME: home, LANG: "C.UTF-8", USER: "user", SHELL: "/bin/sh" };
    return {
      command: [this.#copy, ...args],
      cwd: home,
      stderrFile: "/dev/null",
      env: { ...env, ...this.#env },
    };
  }
}
