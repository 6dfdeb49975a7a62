/** Tasks on a disk that runs full in the middle: a real one, of memory, that only the server sees. Linux and root only. */
import { isError, structuredOf, textOf } from "../../test/e2e/harness/messages.ts";
import { Server, type ServerMessage } from "../../test/e2e/harness/server.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";

export interface Part {
  readonly name: string;
  readonly figure: string;
  readonly faults: readonly string[];
}

const name = "a disk that runs full";
const changesMax = 500;

/** What was kept stays, the reason is said, and with room again the next change is kept. */
export async function fillTheDisk(): Promise<Part> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    return { name, figure: "not checked: it needs root on Linux", faults: [] };
  }
  using home = new TempFolder();
  const folder = home.folder(".scorpiox");
  const mount = `mount -t tmpfs -o size=1m,mode=700 tmpfs "${folder}" && exec "$@"`;
  await using server = new Server({ home, wrap: ["unshare", "-m", "sh", "-c", mount, "sh"] });
  await server.initialize();
  const { kept, refusal } = await createUntilRefused(server);
  const before = await totalIn(server);
  const again = await create(server);
  const grown = Bun.spawnSync(
    ["nsenter", "-t", String(server.pid), "-m", "mount", "-o", "remount,size=8m", folder],
    { stderr: "inherit" },
  );
  const after = await create(server);
  const faults = [
    ...(refusal.includes("Nothing was changed. The disk is full") ? [] : [`it said: ${refusal}`]),
    ...(before === kept ? [] : [`${kept} were kept, and ${String(before)} are there`]),
    ...(isError(again) ? [] : ["a second change was taken though there is no room"]),
    ...(grown.exitCode === 0 ? [] : ["the disk could not be made larger"]),
    ...(isError(after) ? [`with room again: ${textOf(after)}`] : []),
    ...((await totalIn(server)) === kept + 1 ? [] : ["the change after it is not there"]),
  ];
  const figure = `${kept} kept before, refused with the reason, the next one kept when there was room`;
  return { name, figure, faults };
}

async function createUntilRefused(server: Server): Promise<{ kept: number; refusal: string }> {
  for (let kept = 0; kept < changesMax; kept += 1) {
    const reply = await create(server);
    if (isError(reply)) return { kept, refusal: textOf(reply) };
  }
  return { kept: changesMax, refusal: "nothing was refused" };
}

function create(server: Server): Promise<ServerMessage> {
  const text = "x".repeat(9_000);
  return server.call("TaskManager", { action: "create", query: "", text });
}

async function totalIn(server: Server): Promise<unknown> {
  const reply = await server.call("TaskManager", { action: "pending", query: "nothing has this" });
  return structuredOf(reply)["total"];
}
