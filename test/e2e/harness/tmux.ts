import { randomBytes } from "node:crypto";

import { productBinary } from "./binary.ts";
import { eventually } from "./conditions.ts";
import { testEnvironment } from "./server.ts";
import type { TempFolder } from "./temp-folder.ts";

/** What a shell prints when it is ready; nothing else here prints it. */
const prompt = "ready%";

/** A real terminal with a shell in it, and a person at its keys. */
export class Tmux implements Disposable {
  readonly #socket = `scorpiox-${randomBytes(6).toString("hex")}`;
  readonly #env: Record<string, string>;

  constructor(home: TempFolder) {
    this.#env = { ...testEnvironment(home.path), PS1: prompt, TMUX_TMPDIR: home.path };
    const size = ["-x", "80", "-y", "24"];
    const shell = ["bash", "--norc", "--noprofile"];
    this.#run("-f", "/dev/null", "new-session", "-d", "-s", "t", ...size, ...shell);
  }

  /** A person types: text as it is, keys by the names of tmux (`Enter`, `C-c`). */
  type(...keys: string[]): void {
    for (const key of keys) this.#run("send-keys", "-t", "t", key);
  }

  /** Types a command and waits for what it is to show. */
  async command(line: string, shows: string): Promise<string> {
    await this.shows(prompt);
    this.#run("send-keys", "-t", "t", "-l", line);
    this.type("Enter");
    return this.shows(shows);
  }

  /** Starts `attach`, which prints its exit code when it ends. */
  async attach(shows = "tab next view"): Promise<string> {
    return this.command(`clear; ${productBinary} attach; echo "code: $?"`, shows);
  }

  get screen(): string {
    return this.#run("capture-pane", "-p", "-t", "t");
  }

  /** The screen with the codes of its colours. */
  get colours(): string {
    return this.#run("capture-pane", "-e", "-p", "-t", "t");
  }

  resize(columns: number, rows: number): void {
    this.#run("resize-window", "-t", "t", "-x", `${columns}`, "-y", `${rows}`);
  }

  /** The screen, once it has `text`. */
  shows(text: string): Promise<string> {
    return this.screenThat(`${JSON.stringify(text)} on the screen`, (screen) =>
      screen.includes(text),
    );
  }

  async screenThat(what: string, passes: (screen: string) => boolean): Promise<string> {
    let screen = "";
    try {
      return await eventually(what, () => passes((screen = this.screen)) && screen);
    } catch (error) {
      throw new Error(`${String(error)}:\n${screen}`, { cause: error });
    }
  }

  /** What a program may leave changed: cursor, other screen, wrapping; and how the line is set. */
  async modes(): Promise<string> {
    // In two pieces, so that the command itself is not taken for what it prints.
    const names = "tr ' ;' '\\n\\n' | grep -xE -- '-?(icanon|echo|isig|opost)' | xargs";
    const screen = await this.command(`clear; printf 'modes%s ' :; stty -a | ${names}`, "modes: ");
    const line = screen.split("\n").find((row) => row.startsWith("modes: "));
    const flags = "#{cursor_flag}#{alternate_on}#{wrap_flag}";
    return `${this.#run("display-message", "-p", "-t", "t", flags).trim()} ${line?.trim()}`;
  }

  [Symbol.dispose](): void {
    this.#run("kill-server");
  }

  #run(...args: string[]): string {
    const done = Bun.spawnSync(["tmux", "-L", this.#socket, "-u", ...args], { env: this.#env });
    if (done.exitCode === 0) return done.stdout.toString();
    throw new Error(`tmux ${args.join(" ")}: ${done.stderr.toString()}`);
  }
}
