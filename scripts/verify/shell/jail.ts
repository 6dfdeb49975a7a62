/** Runs texts in Debian's bash where they can do nothing: no network, nothing to write but scratch folders in memory. */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { randomInt } from "node:crypto";
import { join } from "node:path";

import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";

/** The real ones: they start others, and what they start is what counts. */
const starters = "bash dash env timeout nice nohup setsid stdbuf xargs find ionice".split(" ");

/** Programs that do nothing but say that they ran; `forbid` is the one that the rule denies. */
const markers =
  "forbid ls git cat rm npm node python3 grep sed awk curl jq docker make tar head tail sort wc ssh cp mv".split(
    " ",
  );

/** Of all that a text starts. */
const processesMax = 100;
/** For all texts together; who waits for ever is left out. */
const jailMsMax = 60_000;

export class Jail implements Disposable {
  readonly #folder = new TempFolder();

  /** Nobody else's. Root has no bound of processes, in a user namespace neither. */
  readonly #uid = process.getuid?.() === 0 ? 200_000 + randomInt(1_000_000) : undefined;

  constructor() {
    chmodSync(this.#folder.path, 0o711);
    for (const name of ["bin", "sys"]) mkdirSync(this.#folder.at(name));
    for (const name of starters) copy(name, this.#folder.at("bin"));
    copy("rm", this.#folder.at("sys"));
    symlinkSync("dash", this.#folder.at("bin/sh"));
    for (const name of markers) {
      const path = this.#folder.at(`bin/${name}`);
      // Builtins alone: it says so without PATH too, and when a shell reads it as a file of commands.
      writeFileSync(path, `#!/usr/bin/dash\necho ${name} >>/ran/names\n`);
      chmodSync(path, 0o755);
    }
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }

  /** The names of what ran, for each text, in a sandbox that ends with all that is left in it; one may end it early. */
  async run(texts: readonly string[]): Promise<readonly (readonly string[])[]> {
    const report = this.#folder.at(crypto.randomUUID());
    mkdirSync(report);
    const lines = join(report, "lines");
    writeFileSync(lines, "");
    if (this.#uid !== undefined)
      for (const path of [report, lines]) chownSync(path, this.#uid, this.#uid);
    writeFileSync(`${report}.texts`, texts.map((text) => `${text}\0`).join(""));
    const command = [...this.#unprivileged(), "bwrap", ...this.#bounds(report), ...driver];
    const child = Bun.spawn(["nice", "-n", "5", ...command], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
      timeout: jailMsMax,
      killSignal: "SIGKILL",
    });
    const [said] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    const ran = (await Bun.file(lines).text()).split("\n").slice(0, -1);
    if (ran.length === 0) throw new Error(`no text was run in the jail: ${said.slice(0, 400)}`);
    return ran.map((line) =>
      line
        .split(" ")
        .slice(1)
        .filter((name) => name !== ""),
    );
  }

  #unprivileged(): readonly string[] {
    const uid = this.#uid;
    return uid === undefined
      ? []
      : ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--no-new-privs"];
  }

  #bounds(report: string): readonly string[] {
    const shown = [
      [this.#folder.at("bin"), "/usr/bin"],
      [this.#folder.at("sys"), "/usr/sys"],
      [join(import.meta.dir, "jail.sh"), "/jail.sh"],
      [`${report}.texts`, "/texts"],
      ...["/lib", "/lib64", "/usr/lib"]
        .filter((path) => existsSync(path))
        .map((path) => [path, path]),
    ];
    return [
      "--unshare-all --unshare-user --uid 1000 --gid 1000 --die-with-parent --new-session --clearenv",
      "--proc /proc --dev /dev --tmpfs /ran --tmpfs /scratch --symlink usr/bin /bin --setenv PATH /usr/bin",
    ]
      .flatMap((options) => options.split(" "))
      .concat(
        shown.flatMap((paths) => ["--ro-bind", ...paths]),
        "--bind",
        report,
        "/report",
      );
  }
}

const driver = ["/usr/bin/bash", "/jail.sh", String(processesMax)];

function copy(name: string, folder: string): void {
  const path = Bun.which(name);
  if (path === null) throw new Error(`${name} is needed for the jail and is not installed`);
  copyFileSync(path, join(folder, name));
}
