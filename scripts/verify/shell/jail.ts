/** Runs texts in Debian's bash where they can do nothing: no network, nothing to write but scratch folders in memory. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

  constructor() {
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
    writeFileSync(`${report}.texts`, texts.map((text) => `${text}\0`).join(""));
    const child = Bun.spawn(["nice", "-n", "5", "bwrap", ...this.#bounds(report), ...driver], {
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
