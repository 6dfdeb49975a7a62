/** `install.sh` of a release, by a new user of a small Debian: no root, no curl, no zstd, no unzip, no openssl. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../../test/e2e/harness/binary.ts";
import { type Packed, writeArchives } from "../../build/archives.ts";
import { sha256 } from "../../build/distribution/program.ts";
import { writeInstallers } from "../../build/release-files.ts";
import { folder, notRun, type Rehearsal, type Row } from "./rehearsal.ts";
import { freshRoot, missing } from "./systems.ts";

interface Case {
  readonly name: string;
  /** Run by `sh` in an empty home. */
  readonly script: string;
  /** What bubblewrap is told besides; absent: a home with space. */
  readonly home?: readonly string[];
  readonly exitCode: number;
  /** Each has to be in what is printed, in this order. */
  readonly said: readonly RegExp[];
}

const install = "sh /release/install.sh";
const works = [/proof: Bash ran a command/, /installed: \/home\/you\/\.scorpiox\/scorpiox-code/];
const program = "$HOME/.scorpiox/scorpiox-code";

const cases: readonly Case[] = [
  { name: "an empty home", script: install, exitCode: 0, said: works },
  { name: "from a pipe", script: "cat /release/install.sh | sh", exitCode: 0, said: works },
  {
    name: "a second run",
    script: `${install} 2>/dev/null && ${install}`,
    exitCode: 0,
    said: [/in place: the same file is already there/, ...works],
  },
  {
    name: "over an older copy whose server runs",
    // The server answers after the file at its path is another one.
    script: [
      "mkdir $HOME/.scorpiox && cp /bin/cat $HOME/.scorpiox/scorpiox-code && mkfifo in",
      `${program} <in >out & exec 3>in`,
      `${install} && echo still here >&3 && exec 3>&- && wait && cat out && ls -A .scorpiox`,
    ].join("\n"),
    exitCode: 0,
    said: [...works, /still here/, /scorpiox-code\s+scorpiox-code\.previous/],
  },
  {
    name: "a home with spaces and quotes",
    script: `mkdir "it's a home" && HOME="$HOME/it's a home" ${install}`,
    exitCode: 0,
    said: [/proof: Bash ran a command/, /it's a home\/\.scorpiox\/scorpiox-code/],
  },
  {
    name: "a read-only home",
    script: install,
    home: ["--ro-bind", "/usr/share/doc", "/home/you"],
    exitCode: 1,
    said: [/cannot create \/home\/you\/\.scorpiox: Read-only file system\. Set SCORPIOX_HOME/],
  },
  {
    name: "a full disk",
    script: `${install}; code=$?; ls -A .scorpiox; exit $code`,
    home: ["--size", "100000000", "--tmpfs", "/home/you"],
    exitCode: 1,
    said: [/cannot unpack .*No space left on device.*Nothing was installed \(\d+ MB free/],
  },
  {
    name: "over the network without curl and wget",
    script: `SCORPIOX_RELEASE_URL=https://192.0.2.1 ${install}`,
    exitCode: 1,
    said: [/curl or wget is needed to download\. On Debian: apt-get install curl/],
  },
  {
    name: "without HOME",
    script: `unset HOME; ${install}`,
    exitCode: 1,
    said: [/HOME is not set.*Set HOME, or SCORPIOX_HOME/],
  },
];

/** Every case, in one row. */
export function installerRehearsal({ target }: Rehearsal, packed: Packed): Row {
  const name = "install.sh";
  const reason = missing(["bwrap", "debootstrap"]);
  if (reason !== undefined) return notRun(name, reason);
  const made = freshRoot("installer");
  if ("reason" in made) return notRun(name, made.reason);
  for (const place of ["release", "home/you"]) {
    mkdirSync(join(made.path, place), { recursive: true });
  }
  const release = writeRelease(target.file, packed);
  for (const one of cases) {
    const { exitCode, text } = tryCase(made.path, release, one);
    let rest = text;
    const isSaid = one.said.every((pattern) => {
      const at = rest.search(pattern);
      rest = rest.slice(Math.max(at, 0));
      return at >= 0;
    });
    if (exitCode !== one.exitCode || !isSaid) {
      return [name, "FAIL", `${one.name}: exit code ${exitCode}, ${text.slice(-500)}`];
    }
  }
  return [name, "pass", `${cases.length} cases: ${cases.map((one) => one.name).join(", ")}`];
}

function writeRelease(file: string, packed: Packed): string {
  const release = join(folder, "release");
  rmSync(release, { recursive: true, force: true });
  mkdirSync(release, { recursive: true });
  writeArchives(release, file, packed);
  writeInstallers(root, release, { repository: "someone/scorpiox-code", publicKey: "none" });
  const sums = [
    [packed.bytes, file],
    [packed.gz, `${file}.gz`],
    [packed.zst, `${file}.zst`],
  ] as const;
  const lines = sums.map(([bytes, name]) => `${sha256(bytes)}  ${name}\n`);
  writeFileSync(join(release, "SHA256SUMS"), lines.join(""));
  return release;
}

function tryCase(
  path: string,
  release: string,
  { script, home = ["--tmpfs", "/home/you"] }: Case,
): { readonly exitCode: number; readonly text: string } {
  const mounts = ["--ro-bind", path, "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"];
  const user = ["--unshare-user", "--uid", "1000", "--gid", "1000", "--unshare-net"];
  const env = ["PATH=/usr/bin:/bin", "HOME=/home/you", "SCORPIOX_RELEASE_URL=file:///release"];
  const words = ["--ro-bind", release, "/release", "--chdir", "/home/you", "env", "-i", ...env];
  const child = Bun.spawnSync(
    ["bwrap", ...mounts, ...user, ...home, ...words, "sh", "-c", script],
    { stdin: "ignore", timeout: 300_000 },
  );
  const { exitCode, stdout, stderr } = child;
  return { exitCode, text: stderr.toString() + stdout.toString() };
}
