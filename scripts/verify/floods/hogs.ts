import {
  BoundedServer,
  canBeSomebody,
  forkBomb,
  smallDisk,
} from "../../../test/e2e/harness/bounded-server.ts";
import { type Flood, floodMbMax, mib, type Seen } from "./flood.ts";
import { watchStdio } from "./watch.ts";

const diskBytes = 64 * mib;
const hogMsMax = 4_000;

/** Takes descriptors until there are no more for it, eight times at once. */
const descriptorBomb =
  'ulimit -n "$(ulimit -H -n)"; for p in 1 2 3 4 5 6 7 8; do ' +
  "(for i in $(seq 20000); do exec {fd}</dev/null || break; done; sleep 1) 2>/dev/null & done; wait";

/** The file takes all of the disk; what is printed then finds no room to be saved. */
const diskFiller =
  "for p in 1 2 3; do cat /dev/zero >fill$p & done; wait; cat fill* fill* fill* | tr '\\0' x";

/** Commands that take all that they can get, of a user who may have 250 processes. */
export function hogFloods(): readonly Flood[] {
  if (!canBeSomebody) return [];
  const hogs: Flood[] = [
    { name: "a fork bomb", mbMax: floodMbMax, run: () => runHog(forkBomb) },
    { name: "a bomb of descriptors", mbMax: floodMbMax, run: () => runHog(descriptorBomb) },
  ];
  const hasSmallDisk = Bun.spawnSync([...smallDisk("/tmp", mib), "true"]).success;
  const filler = { name: "a disk of 64 MB that is filled", mbMax: floodMbMax };
  if (hasSmallDisk) hogs.push({ ...filler, run: () => runHog(diskFiller, diskBytes) });
  return hogs;
}

async function runHog(command: string, disk?: number): Promise<Seen> {
  await using bounded = new BoundedServer(disk);
  const { server } = bounded;
  await server.initialize();
  return await watchStdio(server, () => server.call("Bash", { command, timeout: hogMsMax }));
}
