/**
 * Servers that `npx` has to fetch first: forty starts from an empty npm cache, some of them two of the same at once, some
 * with all processors busy; then the same server with and without its runner. Needs the npm registry.
 *
 *     bun scripts/verify/cold-npx.ts [--starts 40]
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { eventually } from "../../test/e2e/harness/conditions.ts";
import { isError, textOf } from "../../test/e2e/harness/messages.ts";
import { runProduct } from "../../test/e2e/harness/run-product.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { npmEnvironment } from "./npm-environment.ts";
import { directBesideNpx } from "./npx-beside-direct.ts";
import { type Outcome, seconds } from "./outcome.ts";
import { runAlone } from "./run-alone.ts";
import { median } from "./upstream-figures.ts";

const packages = ["memory", "everything", "filesystem"] as const;
type Package = (typeof packages)[number];
/** A tool of each. */
const tools: Readonly<Record<Package, string>> = {
  memory: "read_graph",
  everything: "echo",
  filesystem: "list_allowed_directories",
};

interface Round {
  readonly name: Package;
  /** Processes of ours that start it at the same time. */
  readonly clients: 1 | 2;
  readonly isBusy: boolean;
}

/** What was seen of one round. */
interface Seen {
  readonly readyMs: readonly number[];
  /** What a call and `mcp status` said meanwhile. */
  readonly called: string | undefined;
  readonly status: string | undefined;
}

export async function checkColdNpx(starts: number): Promise<Outcome> {
  const faults: string[] = [];
  const quiet: number[] = [];
  const busy: number[] = [];
  let [ready, called, status]: [number, string?, string?] = [0];
  for (const [index, round] of roundsOf(starts).entries()) {
    const told = `${round.name}, ${round.clients} at once${round.isBusy ? ", busy" : ""}`;
    try {
      const seen = await coldRound(round, (fault) => faults.push(`${told}: ${fault}`));
      ready += seen.readyMs.length;
      (round.isBusy ? busy : quiet).push(...seen.readyMs);
      called ??= seen.called;
      status ??= seen.status;
    } catch (error) {
      faults.push(`${told}: ${String(error)}`);
    }
    if (index % 5 === 4) {
      console.log(`cold-npx: ${ready} of ${starts} ready, ${faults.length} faults`);
    }
  }
  const beside = await directBesideNpx();
  if (ready !== starts) faults.push(`${ready} of ${starts} were ready`);
  const times = (all: readonly number[]): string =>
    all.length === 0 ? "none" : `${seconds(median(all))}, at most ${seconds(Math.max(...all))}`;
  return {
    name: "cold npx starts",
    passed: faults.length === 0 && starts > 0,
    figures: `${ready} of ${starts} ready, none ended by us, every folder of _npx whole; ready after ${times(quiet)} (median; ${quiet.length} starts), with busy processors ${times(busy)} (${busy.length}); ${beside.figures}`,
    faults,
    details: [
      ["a call meanwhile", "–", called ?? "not seen"],
      ["`mcp status` meanwhile", "–", status ?? "not seen"],
      ...beside.details,
    ],
  };
}

/** Every fourth round is of two processes at once; two of five rounds have busy processors. */
function roundsOf(starts: number): readonly Round[] {
  const rounds: Round[] = [];
  for (let left = starts, index = 0; left > 0; index++) {
    const clients = index % 4 === 3 && left >= 2 ? 2 : 1;
    const name = packages[index % packages.length] ?? "memory";
    rounds.push({ name, clients, isBusy: index % 5 >= 3 });
    left -= clients;
  }
  return rounds;
}

async function coldRound(round: Round, onFault: (fault: string) => void): Promise<Seen> {
  using home = new TempFolder();
  const { name } = round;
  const runs = home.at("runs");
  const npx = home.write("bin/npx", loggedNpx(runs), 0o755);
  const spec = `@modelcontextprotocol/server-${name}`;
  const args = ["-y", spec, ...(name === "filesystem" ? [home.folder("data")] : [])];
  const entry = { command: npx, args, env: npmEnvironment(home) };
  home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers: { [name]: entry } }));
  using _load = round.isBusy ? new BusyProcessors() : undefined;
  const begin = performance.now();
  const servers = Array.from({ length: round.clients }, () => new Server({ home }));
  const [first] = servers;
  try {
    await Promise.all(servers.map((server) => server.initialize()));
    const ends = servers.map(async (server) => {
      await untilThere(server, `mcp__${name}__${tools[name]}`);
      return performance.now() - begin;
    });
    const told = first === undefined ? undefined : await toldMeanwhile(first, home, name);
    const readyMs = await Promise.all(ends);
    checkRuns(readFileSync(runs, "utf8"), onFault);
    checkFolders(home.at("npm-cache", "_npx"), onFault);
    return { readyMs, called: told?.called, status: told?.status };
  } finally {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  }
}

/** `npx`, with a line for each begin and each end: one that is ended has none. */
function loggedNpx(runs: string): string {
  const npx = Bun.which("npx") ?? "npx";
  return `#!/bin/sh\necho "begin $$ $*" >> "${runs}"\n"${npx}" "$@"\ncode=$?\necho "end $$ $code" >> "${runs}"\nexit $code\n`;
}

/** One run that fetched, and went well; the server is started without `npx`. */
function checkRuns(text: string, onFault: (fault: string) => void): void {
  const lines = text.trim().split("\n");
  const begun = lines.filter((line) => line.startsWith("begin"));
  const well = lines.filter((line) => /^end \d+ 0$/.test(line));
  if (begun.length !== 1 || well.length !== 1) {
    onFault(`npx was started ${begun.length} times and ended well ${well.length} times`);
  }
}

function checkFolders(npx: string, onFault: (fault: string) => void): void {
  const folders = readdirSync(npx);
  if (folders.length !== 1) onFault(`_npx has ${folders.length} folders`);
  for (const folder of folders) {
    const files = ["package.json", "package-lock.json", join("node_modules", ".package-lock.json")];
    for (const file of files) {
      try {
        JSON.parse(readFileSync(join(npx, folder, file), "utf8"));
      } catch (error) {
        onFault(`${file} of _npx/${folder}: ${String(error)}`);
      }
    }
    if (existsSync(join(npx, folder, "concurrency.lock"))) onFault(`_npx/${folder} is locked`);
  }
}

/** Tools of a server with many are not in the list: they can be called all the same. */
async function untilThere(server: Server, tool: string): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    const reply = await server.call(tool, { message: "there" });
    if (reply.error === undefined && !isError(reply)) return true;
    await Bun.sleep(100);
    return false;
  };
  await eventually(tool, isThere, 120_000);
}

/** What a model and a person are told while it is installed. */
async function toldMeanwhile(
  server: Server,
  home: TempFolder,
  name: string,
): Promise<{ readonly called?: string; readonly status?: string }> {
  await Bun.sleep(2_000);
  const reply = await server.call(`mcp:${name}.something`);
  const called = isError(reply) ? textOf(reply) : "";
  const { stdout } = await runProduct(home, ["mcp", "status"], { cwd: home.path });
  const [, status] = /^(.*: installing[^\n]*\n[^\n]*)/m.exec(stdout) ?? [];
  return {
    ...(called.includes("installed") ? { called } : {}),
    ...(status === undefined ? {} : { status: status.replace(/\n\s*/, " – ") }),
  };
}

/** As many processes as there are processors, which do nothing but compute, below all others. */
class BusyProcessors implements Disposable {
  readonly #children = Array.from({ length: navigator.hardwareConcurrency }, () =>
    Bun.spawn(["nice", "-n", "5", "sh", "-c", "while :; do :; done"], { cwd: tmpdir() }),
  );

  [Symbol.dispose](): void {
    for (const child of this.#children) child.kill("SIGKILL");
  }
}

if (import.meta.main) await runAlone(checkColdNpx, "starts", 40);
