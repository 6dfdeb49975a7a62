/** What an update does in places other than a user's own folder with space: copies of package managers, full and read-only disks. */
import { chmodSync, linkSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";
import { ended, InstalledCopy } from "./installed-copy.ts";
import { nextVersion, type Programs } from "./programs.ts";
import type { ReleaseSite } from "./release-site.ts";

/** A fault in words, or undefined. */
export type Found = string | undefined;

/** Where package managers put programs, and what a user of theirs is told. */
const managed: readonly (readonly [path: string, command: string])[] = [
  ["lib/node_modules/scorpiox-code-linux-x64/scorpiox-code", "npm install --global"],
  [".npm/_npx/0a1b/node_modules/scorpiox-code-linux-x64/scorpiox-code", "npx scorpiox-code@latest"],
  ["pnpm/global/5/.pnpm/x/node_modules/x/scorpiox-code", "pnpm add --global"],
  [".bun/install/global/node_modules/x/scorpiox-code", "bun add --global"],
  ["Claude Extensions/x/server/scorpiox-code", "open the newer .mcpb bundle"],
  ["linuxbrew/Cellar/scorpiox-code/0.1.0/bin/scorpiox-code", "brew upgrade scorpiox-code"],
  ["scoop/apps/scorpiox-code/current/scorpiox-code", "scoop update scorpiox-code"],
  ["WinGet/Packages/x/scorpiox-code", "winget upgrade scorpiox-code"],
  ["nix/store/x-scorpiox-code/bin/scorpiox-code", "nix profile upgrade"],
];

/** Each is left alone, says the right command, and can look all the same. */
export async function managedCopies(
  { present }: Programs,
  site: ReleaseSite,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const [path, command] of managed) {
    using home = new TempFolder();
    const copy = new InstalledCopy(home, home.at(path));
    copy.put(present);
    const before = copy.state();
    const update = await copy.run(["update"], site.url);
    const rollback = await copy.run(["update", "--rollback"], site.url);
    const check = await copy.run(["update", "--check"], site.url);
    const codes = [update, rollback, check].map(({ exitCode }) => exitCode).join(" ");
    const isRight =
      codes === "2 2 10" && update.stderr.includes(command) && copy.state() === before;
    found.push(isRight ? undefined : `${path}: exit codes ${codes}, ${update.stderr.trim()}`);
  }
  return found;
}

/** The second waits, and finds what the first has done. */
export async function twoAtOnce(
  { present, presentVersion }: Programs,
  site: ReleaseSite,
): Promise<Found> {
  using home = new TempFolder();
  const copy = new InstalledCopy(home);
  copy.put(present);
  const both = await Promise.all([copy.run(["update"], site.url), copy.run(["update"], site.url)]);
  const seen = [await copy.version(), await copy.version(`${copy.path}.previous`), ...copy.files()];
  const wanted = [nextVersion, presentVersion, "scorpiox-code", "scorpiox-code.previous"];
  const codes = both.map(({ exitCode }) => exitCode);
  // Where the first takes longer than the second waits, that says so and does nothing.
  const isRight =
    codes.includes(0) &&
    both.every(({ exitCode, stderr }) => exitCode === 0 || stderr.includes("is held by")) &&
    seen.join() === wanted.join();
  return isRight ? undefined : `${codes.join(" ")}, ${seen.join(" ")}: ${both[1]?.stderr ?? ""}`;
}

/** A file system with so many megabytes in all, on which the program takes 125. */
export async function fullDisk(
  { present }: Programs,
  site: ReleaseSite,
  megabytes: number,
): Promise<Found> {
  using home = new TempFolder();
  const folder = home.folder(".scorpiox");
  const mount = ["mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder];
  const script = [
    `${mount.join(" ")} && cp "$1" ${folder}/scorpiox-code && cd ${folder}`,
    "before=$(sha256sum scorpiox-code)",
    "./scorpiox-code update",
    'code=$?; [ "$(sha256sum scorpiox-code)" = "$before" ] && echo "unchanged $code"; ls -A',
  ].join("\n");
  const { stdout, stderr } = await ended(
    Bun.spawn(["unshare", "--mount", "sh", "-c", script, "sh", present], {
      env: { PATH: process.env["PATH"], HOME: home.path, SCORPIOX_RELEASE_URL: site.url },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
  const seen = stdout.trim().split("\n").join(" ");
  const isRight =
    seen === "unchanged 1 locks scorpiox-code" && /no space left on device/i.test(stderr);
  return isRight ? undefined : `${megabytes} MB: ${seen}: ${stderr.trim()}`;
}

/** A folder that its user may not write to. */
export async function readOnlyFolder({ present }: Programs, site: ReleaseSite): Promise<Found> {
  using home = new TempFolder();
  const folder = home.folder("bin");
  linkSync(present, home.at("bin/scorpiox-code"));
  mkdirSync(home.at("home"));
  chmodSync(dirname(folder), 0o755);
  const script = `mount --bind ${folder} ${folder} && mount -o remount,bind,ro ${folder} && exec ${folder}/scorpiox-code update`;
  const { exitCode, stderr } = await ended(
    Bun.spawn(["unshare", "--mount", "sh", "-c", script], {
      env: { PATH: process.env["PATH"], HOME: home.at("home"), SCORPIOX_RELEASE_URL: site.url },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
  const isRight =
    exitCode === 1 && /cannot be replaced: .*read-only.* Nothing was changed/i.test(stderr);
  return isRight ? undefined : `exit code ${exitCode}: ${stderr.trim()}`;
}
