/**
 * The executable is replaced by a newer one while clients use MCP servers and a kept task runs: old clients stay with their
 * hub, new ones get another, and what is kept is theirs too.
 *
 *     bun scripts/verify/run.ts --only hub-update
 *
 * Linux only.
 */
import { copyFileSync, existsSync, renameSync, writeFileSync } from "node:fs";

import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { textOf } from "../../../test/e2e/harness/messages.ts";
import type { Server } from "../../../test/e2e/harness/server.ts";
import { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";
import type { Outcome } from "../outcome.ts";
import { buildPrograms, nextVersion } from "../update/programs.ts";
import { nobody, upstreamOf, UserHome } from "./user-home.ts";

const env = { SCORPIOX_HUB: "on", SCORPIOX_HUB_IDLE: "1" };

export async function checkHubUpdate(): Promise<Outcome> {
  using folder = new TempFolder();
  const { present, next } = buildPrograms(folder);
  const faults: string[] = [];
  const seen: string[] = [];
  const expect = (what: string, isRight: boolean, found: unknown = ""): void => {
    if (isRight) seen.push(what);
    else faults.push(`${what}: no ${String(found)}`.trim());
  };
  await using home = new UserHome({
    program: present,
    ...(process.getuid?.() === 0 && { uid: nobody }),
  });
  const workspace = home.workspace("workspace");
  const stop = home.at("workspace/stop");
  const olds = [await home.client(workspace, { env }), await home.client(workspace, { env })];
  const [first, second] = olds as [Server, Server];
  const oldServer = await upstreamOf(first);
  const oldHub = await home.hub();
  const printer = `n=0; until [ -e ${stop} ]; do echo $n; n=$((n + 1)); sleep 0.02; done; exit 9`;
  const printing = await keep(first, printer);
  const waiting = await keep(first, "sleep 6000");
  const lines = new Lines();
  lines.take(await read(second, printing));

  replace(home, next);
  const { stdout } = await home.run(["--version"]);
  expect("the new program is in place", stdout.includes(nextVersion), stdout);
  // One that has not read: it begins where the last client that has ended stopped.
  await ended(second);
  const fresh = await home.client(workspace, { env });
  const newServer = await upstreamOf(fresh);
  const newHub = home.hubs.find(({ pid }) => pid !== oldHub.pid);
  expect("new clients get a hub of their own", newHub !== undefined && newServer !== oldServer);
  expect("another place", newHub?.place !== oldHub.place);
  expect("old clients keep theirs", (await upstreamOf(first)) === oldServer);
  const known = await read(fresh, 9_999);
  expect("kept tasks are listed", known.includes("1001") && known.includes("1002"), known);
  const before = lines.next;
  lines.take(await read(fresh, printing));
  expect("kept output goes on", lines.next > before && lines.fault === undefined, lines.fault);
  const status = (await home.run(["hub", "status", "--json"])).stdout;
  expect("hub status shows both hubs", status.includes(`${oldHub.pid}`), status.slice(0, 300));
  const killed = textOf(await fresh.call("KillBgTask", { task_id: waiting }));
  const isGone = home.processes().every(({ command }) => command !== "sleep 6000");
  expect("a kept task of the old hub is ended from the new one", isGone, killed);
  const third = await keep(fresh, "echo new; sleep 0.2; exit 4");
  expect("ids go on", third === waiting + 1, third);
  expect("the old client sees the new one's", (await endOf(first, third)).includes("exit code 4"));

  await ended(first);
  const alone = await read(fresh, printing);
  lines.take(alone);
  expect("the task goes on without old clients", alone.includes(": running"), alone);
  writeFileSync(stop, "");
  const end = await endOf(fresh, printing, lines);
  expect("it is waited for from the new hub", end.includes("exit code 9"), end);
  expect("no line is lost or repeated", lines.fault === undefined, lines.fault);
  await eventually("the end of the old hub", () => !home.isOurs(oldHub.pid)).catch(() => {
    faults.push("the old hub is left after its clients and tasks");
  });
  expect("the new hub stays", (await upstreamOf(fresh)) === newServer);
  await ended(fresh);
  const left = await home.nothingLeft();
  expect("nothing is left", left.length === 0, left.join("; "));
  expect("its place is there for the next one", existsSync(oldHub.place));
  return {
    name: "hub: update",
    passed: faults.length === 0,
    figures: `${seen.length} of ${seen.length + faults.length}: ${seen.join(", ")}; ${lines.next} lines`,
    faults,
  };
}

/** Under the same name, as an update does it: whoever runs the old one keeps it. */
function replace(home: UserHome, program: string): void {
  copyFileSync(program, `${home.program}.new`);
  renameSync(`${home.program}.new`, home.program);
  home.give();
}

async function ended(server: Server): Promise<void> {
  server.endInput();
  await server.ended();
}

async function keep(client: Server, command: string): Promise<number> {
  const text = textOf(await client.call("BackgroundBash", { command, keep: true }));
  const id = Number(/task_id: (\d+)/.exec(text)?.[1]);
  if (!Number.isInteger(id)) throw new Error(`it was not kept: ${text}`);
  return id;
}

async function read(client: Server, id: number): Promise<string> {
  return textOf(await client.call("ReadBgOutput", { task_id: id, wait_ms: 500 }));
}

async function endOf(client: Server, id: number, lines?: Lines): Promise<string> {
  return await eventually("its end", async () => {
    const text = await read(client, id);
    lines?.take(text);
    const said = text.split("\n").at(-1) ?? "";
    return said.includes(": running") ? undefined : said;
  });
}

/** The numbers that were read, in their order. */
class Lines {
  next = 0;
  fault: string | undefined;

  take(text: string): void {
    for (const line of text.split("\n").filter((one) => /^\d+$/.test(one))) {
      if (Number(line) !== this.next) this.fault ??= `${line} came instead of ${this.next}`;
      this.next = Number(line) + 1;
    }
  }
}
