import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { landlockVersionMin } from "../../../src/commands/sandbox/backend-arguments.ts";
import { loadRestrictingCalls } from "../../../src/commands/sandbox/restrict/run-restricted.ts";
import { within } from "./conditions.ts";
import { Server } from "./server.ts";
import { TempFolder } from "./temp-folder.ts";
import { type DigestDepth, treeLines } from "./tree-digest.ts";
import { helperProgram } from "./writing-commands.ts";

export interface YardOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Whom the server and the workspace belong to; absent = who runs this. */
  readonly uid?: number;
  /** Starts the helper that writes when it is asked to, where there is Python. */
  readonly hasHelper?: boolean;
}

const python = "/usr/bin/python3";
const systemPath = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/** A workspace, things around it, and a server in it, all of one user. */
export class SandboxYard implements AsyncDisposable {
  readonly #base = new TempFolder();
  readonly #server: Server;
  readonly #helper: Bun.Subprocess<"ignore", "pipe", "inherit"> | undefined;
  readonly workspace = this.#base.folder("workspace");
  readonly outside = this.#base.folder("outside");
  readonly home = this.#base.folder("home");
  readonly #helperFolder = this.#base.folder("helper");
  /** For what is not looked at. */
  readonly #scratch = this.#base.folder("scratch");
  readonly #uid: number | undefined;

  constructor({ env = {}, uid, hasHelper = false }: YardOptions) {
    this.#uid = uid;
    this.#base.write("home/.bashrc", "# mine\n");
    this.#base.write("home/.gitconfig", "[user]\nname = x\nemail = x@example.com\n");
    this.#fill();
    cpSync(this.workspace, this.#template, { recursive: true, preserveTimestamps: true });
    this.#give();
    const owner = ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
    this.#server = new Server({
      cwd: this.workspace,
      // What a server that is killed leaves goes with the yard.
      env: { HOME: this.home, PATH: systemPath, TMPDIR: this.#scratch, ...env },
      ...(uid === undefined ? {} : { wrap: owner }),
    });
    if (!hasHelper || !existsSync(python)) return;
    const args = ["-c", helperProgram, this.#helperFolder, this.workspace];
    this.#helper = Bun.spawn([python, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  get server(): Server {
    return this.#server;
  }

  async ready(): Promise<void> {
    await this.#server.initialize();
    if (this.#helper === undefined) return;
    await within("the helper", 5_000, this.#helper.stdout.getReader().read());
    if (this.#uid !== undefined) own(this.#helperFolder, this.#uid);
  }

  /** The text of a Bash call. */
  async bash(command: string, timeout = 20_000): Promise<string> {
    const folders = `OUTSIDE='${this.outside}' HELPER='${this.#helperFolder}' SCRATCH='${this.#scratch}'`;
    const set = `export ${folders}\n`;
    const reply = await this.#server.call("Bash", { command: set + command, timeout });
    const content = reply.result?.["content"] as { text: string }[] | undefined;
    return content?.[0]?.text ?? JSON.stringify(reply);
  }

  /** The attempts that ended with 0, each in a shell of its own in one sandbox. */
  async succeeding(attempts: readonly string[]): Promise<readonly string[]> {
    const shells = attempts.map(
      (attempt, index) => `(${attempt}) >&2; echo "attempt ${index}: $?"`,
    );
    const said = await this.bash(shells.join("\n"));
    return attempts.filter(
      (_attempt, index) => !new RegExp(`^attempt ${index}: [1-9]`, "m").test(said),
    );
  }

  /** All that commands must leave alone; the plan file and the server's own folder are not looked at. */
  lines(depth: DigestDepth): string[] {
    const isOurs = (line: string): boolean => /^\.scorpiox(?:\/(?!evil)| )/.test(line);
    return [
      ...treeLines(this.workspace, depth).filter((line) => !isOurs(line)),
      ...treeLines(this.outside, depth),
      ...treeLines(this.home, depth).filter((line) => !isOurs(line) && !line.startsWith(". ")),
    ];
  }

  /** Everything as it was at first. */
  restore(): void {
    for (const folder of [this.workspace, this.outside]) rmSync(folder, { recursive: true });
    mkdirSync(this.outside);
    cpSync(this.#template, this.workspace, { recursive: true, preserveTimestamps: true });
    this.#base.write("home/.bashrc", "# mine\n");
    rmSync(join(this.home, ".scorpiox/evil.txt"), { force: true });
    this.#give();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    this.#helper?.kill();
    await this.#helper?.exited;
    this.#base[Symbol.dispose]();
  }

  get #template(): string {
    return this.#base.at("template");
  }

  #fill(): void {
    const at = (name: string): string => join("workspace", name);
    this.#base.write(at("README.md"), "a readme\n");
    this.#base.write(at("src/a.txt"), "aaaa\n");
    this.#base.write(at("src/b.txt"), "b\nbb\n");
    this.#base.write(at("bin/run.sh"), "#!/bin/sh\n", 0o755);
    this.#base.folder(at("sub"));
    const env = { ...process.env, HOME: this.home };
    const git = (...args: string[]): void => {
      const options = { cwd: this.workspace, env };
      if (!Bun.spawnSync(["git", ...args], options).success) throw new Error("git failed");
    };
    git("init", "-q");
    git("add", "-A");
    git("commit", "-q", "-m", "first");
    Bun.spawnSync(["ln", "-s", "src/a.txt", "link"], { cwd: this.workspace });
  }

  #give(): void {
    if (this.#uid !== undefined) own(this.#base.path, this.#uid);
  }
}

/** True where a sandbox by bubblewrap can be tested. */
export const hasBubblewrap = ["/usr/bin/bwrap", "/usr/local/bin/bwrap"].some(
  (path) =>
    existsSync(path) &&
    Bun.spawnSync([path, "--ro-bind", "/", "/", "--proc", "/proc", "--unshare-pid", "true"])
      .success,
);

/** True where one by Landlock can: the kernel is asked for its version. */
export const hasLandlock = ((): boolean => {
  if (process.platform !== "linux") return false;
  const [createRuleset, askVersion] = [444, 1];
  const version = loadRestrictingCalls().systemCall(createRuleset, 0, 0, askVersion);
  return version >= landlockVersionMin;
})();

function own(path: string, uid: number): void {
  Bun.spawnSync(["chown", "-R", "-h", `${uid}:${uid}`, path]);
}
