import { readFile } from "node:fs/promises";

import { systemCodeOf } from "../../base/errors.ts";

/** The begin of an index's JSON file: the process whose tools are in it. */
export function ownerHead(pid: number): string {
  return `{"pid":${pid},`;
}

/** Whether another process that wrote the index still runs; only that process may remove it. */
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
    // It runs as another user.
    return systemCodeOf(error) === "EPERM";
  }
}
