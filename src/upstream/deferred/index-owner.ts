import { readFile } from "node:fs/promises";

import { systemCodeOf } from "../../base/errors.ts";

/** Begins the JSON file of an index: the process whose tools are in it. */
export function ownerHead(pid: number): string {
  return `{"pid":${pid},`;
}

/** Whether the process that wrote an index still runs, so that its index is not ours to remove. */
export async function hasLivingOwner(jsonFile: string): Promise<boolean> {
  const text = await readFile(jsonFile, "utf8").catch(() => "");
  const pid = Number(/^\{"pid":(\d{1,10}),/.exec(text)?.[1] ?? Number.NaN);
  return pid > 0 && pid !== process.pid && isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, as somebody else's.
    return systemCodeOf(error) === "EPERM";
  }
}
