import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One start of an `upstream.ts`. */
export interface UpstreamStart {
  readonly name: string;
  readonly pid: number;
  readonly parent: number;
  readonly cwd: string;
}

/** One call that an `upstream.ts` ran. */
interface UpstreamRun {
  readonly tool: string;
  readonly id: string;
  readonly pid: number;
}

export function startsIn(folder: string): readonly UpstreamStart[] {
  return linesOf(join(folder, "starts")).map((line) => JSON.parse(line) as UpstreamStart);
}

export function runsIn(folder: string): readonly UpstreamRun[] {
  return linesOf(join(folder, "runs")).map((line) => {
    const [tool = "", id = "", pid = ""] = line.split(" ");
    return { tool, id, pid: Number(pid) };
  });
}

function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
}
