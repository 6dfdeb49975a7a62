import { readdirSync, readFileSync } from "node:fs";

/** Processes below this one that have ended and that nobody has waited for. */
export function zombies(pid: number): readonly number[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)));
  const below = new Set([pid]);
  // A child has a later number than its parent, save when the numbers begin anew: hence twice.
  for (const { pid: child, parent } of [...all, ...all]) {
    if (below.has(parent)) below.add(child);
  }
  return all.filter((each) => each.state === "Z" && below.has(each.parent)).map((each) => each.pid);
}

function statOf(pid: number): { pid: number; parent: number; state: string }[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before it may have blanks and brackets.
    const [state = "", parent = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [{ pid, parent: Number(parent), state }];
  } catch {
    return [];
  }
}
