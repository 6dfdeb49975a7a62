/**
 * `update` with the compiled executable, over HTTP, while a client of the official SDK calls a server that was started from the
 * copy which is updated: releases that must be refused, kills at every step, rollback, and places where nothing may change.
 *
 *     bun scripts/verify/run.ts --only update
 *
 * Linux only. The kills at system calls need `strace`; the full and the read-only disk need root.
 */
import { readFileSync } from "node:fs";

import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import type { Outcome } from "./outcome.ts";
import { InstalledCopy } from "./update/installed-copy.ts";
import { killAt, type Place, places } from "./update/kills.ts";
import { type Manipulation, manipulations } from "./update/manipulations.ts";
import { fullDisk, managedCopies, readOnlyFolder, twoAtOnce } from "./update/places.ts";
import { buildPrograms, nextVersion, type Programs } from "./update/programs.ts";
import { makeRelease, packProgram, ReleaseSite } from "./update/release-site.ts";
import { RunningClient } from "./update/running-client.ts";

type Row = readonly [name: string, result: string, figure: string];

/** What each part of the check works with. */
interface Bench {
  readonly programs: Programs;
  readonly copy: InstalledCopy;
  readonly site: ReleaseSite;
  readonly rows: Row[];
}

export async function checkUpdate(): Promise<Outcome> {
  using folder = new TempFolder();
  using home = new TempFolder();
  using site = new ReleaseSite();
  const programs = buildPrograms(folder);
  const copy = new InstalledCopy(home);
  copy.put(programs.present);
  await using client = new RunningClient(copy);
  await client.start();
  const bench: Bench = { programs, copy, site, rows: [] };
  const next = packProgram(new Uint8Array(readFileSync(programs.next)));
  const table = manipulations(next, programs, site.cutOff);
  for (const row of table) await refused(bench, row);
  site.files = makeRelease(next, { version: nextVersion, key: programs.key });
  site.answer = () => undefined;
  const hasStrace = Bun.which("strace") !== null;
  const chosen = places.filter(({ call }) => call === undefined || hasStrace);
  for (const place of chosen) await killed(bench, place);
  await forthAndBack(bench);
  await elsewhere(bench);
  await client.stop();
  bench.rows.push(runningRow(client, programs));
  const failed = bench.rows.filter(([, result]) => result === "FAIL");
  const figures =
    `${table.length} manipulated releases refused, ${chosen.length} kills survived, ` +
    `${client.calls} calls of a running server meanwhile, ${client.faults.length} of them wrong`;
  return {
    name: "update",
    passed: failed.length === 0,
    figures,
    faults: failed.map(([name, , figure]) => `${name}: ${figure}`),
    details: bench.rows,
  };
}

function row(name: string, fault: string | undefined, figure: string): Row {
  return fault === undefined ? [name, "pass", figure] : [name, "FAIL", fault];
}

async function refused({ copy, site, rows }: Bench, one: Manipulation): Promise<void> {
  site.files = one.files();
  site.answer = one.answer ?? (() => undefined);
  const before = copy.state();
  const { exitCode, stderr } = await copy.run(["update"], site.url);
  const said = stderr.trim().replace(/^scorpiox-code: /, "");
  const isUnchanged = copy.state() === before;
  const wanted = one.exitCode ?? "not 0";
  const isRight = (exitCode === 0) === (one.exitCode === 0) && one.said.test(stderr) && isUnchanged;
  const fault = `exit code ${exitCode} (${wanted}), ${isUnchanged ? "un" : ""}changed: ${said}`;
  rows.push(row(one.name, isRight ? undefined : fault, said.slice(0, 160)));
}

/** Afterwards there is a program that starts, and the next update and rollback work and leave nothing. */
async function killed({ programs, copy, site, rows }: Bench, place: Place): Promise<void> {
  const { present, presentVersion, next } = programs;
  if (place.how === "update") copy.put(present);
  else copy.put(next, present);
  const { isKilled, files } = await killAt(place, copy, site);
  const version = await copy.version();
  const update = await copy.run(["update"], site.url);
  const seen = [await copy.version(), ...copy.files()];
  const back = await copy.run(["update", "--rollback"], site.url);
  const end = [version, ...seen, update.exitCode, back.exitCode, await copy.version()].join(" ");
  const wanted = [presentVersion, nextVersion].map((one) =>
    [one, nextVersion, "scorpiox-code scorpiox-code.previous", 0, 0, presentVersion].join(" "),
  );
  const isRight = isKilled && (wanted.includes(end) || isUntouched(place, version, end, programs));
  const fault = `${isKilled ? "killed" : "not killed"} with ${files.join(" ")}; ${end}; ${update.stderr} ${back.stderr}`;
  rows.push(
    row(
      `kill: ${place.how}, ${place.name}`,
      isRight ? undefined : fault,
      `then ${version}, ${files.join(" ")}`,
    ),
  );
}

/** A rollback that was killed early leaves the newer program with the one from before: no update follows. */
function isUntouched(
  { how }: Place,
  version: string,
  end: string,
  { presentVersion }: Programs,
): boolean {
  return how === "rollback" && version === nextVersion && end.endsWith(` 0 0 ${presentVersion}`);
}

async function forthAndBack({ programs, copy, site, rows }: Bench): Promise<void> {
  const { present, presentVersion } = programs;
  copy.put(present);
  const versions: string[] = [];
  for (const words of [["update"], ["update", "--rollback"], ["update", "--rollback"]]) {
    await copy.run(words, site.url);
    versions.push(await copy.version());
  }
  const wanted = [nextVersion, presentVersion, nextVersion];
  const fault = versions.join() === wanted.join() ? undefined : versions.join(", ");
  rows.push(row("update, rollback, rollback", fault, versions.join(", ")));
}

async function elsewhere({ programs, site, rows }: Bench): Promise<void> {
  const managed = await managedCopies(programs, site);
  const wrong = managed.filter((found) => found !== undefined);
  rows.push(
    row("copies of package managers", wrong[0], `${managed.length} left to theirs, --check works`),
    row(
      "two updates at once",
      await twoAtOnce(programs, site),
      "one replaces, one has nothing to do",
    ),
  );
  if (process.getuid?.() !== 0) return;
  for (const megabytes of [126, 180]) {
    const fault = await fullDisk(programs, site, megabytes);
    rows.push(row(`a disk of ${megabytes} MB`, fault, "nothing is changed, nothing is left"));
  }
  rows.push(row("a read-only folder", await readOnlyFolder(programs, site), "nothing is changed"));
}

function runningRow(client: RunningClient, { presentVersion }: Programs): Row {
  const isSame = client.version === presentVersion;
  const fault = client.faults[0] ?? (isSame ? undefined : `its version is ${client.version}`);
  return row("a running server", fault, `${client.calls} calls, the same process`);
}
