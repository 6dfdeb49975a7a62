import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One check of the suite, as it writes it to `checks.json`. */
interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly description: string;
  readonly errorMessage?: string;
}

export interface CheckCounts {
  readonly passed: number;
  readonly failed: number;
  readonly warned: number;
  readonly skipped: number;
  /** A line for each check that failed or warned. */
  readonly misses: readonly string[];
}

/** Counts what the suite has written below `folder`: one folder for each scenario. */
export function countChecks(folder: string): CheckCounts {
  const misses: string[] = [];
  const counts = { SUCCESS: 0, FAILURE: 0, WARNING: 0, SKIPPED: 0, INFO: 0 };
  for (const scenario of scenariosIn(folder)) {
    for (const check of readChecks(join(folder, scenario, "checks.json"))) {
      counts[check.status] += 1;
      const isMiss = check.status === "FAILURE" || check.status === "WARNING";
      if (isMiss) misses.push(describe(scenario, check));
    }
  }
  const { SUCCESS: passed, FAILURE: failed, WARNING: warned, SKIPPED: skipped } = counts;
  return { passed, failed, warned, skipped, misses };
}

/** A scenario that is named `auth/…` has its folder in another. */
function scenariosIn(folder: string): readonly string[] {
  const names = readdirSync(folder).sort();
  return names.flatMap((name) => {
    const inner = readdirSync(join(folder, name), { withFileTypes: true });
    const folders = inner.filter((entry) => entry.isDirectory());
    return folders.length === 0 ? [name] : folders.map((entry) => `${name}/${entry.name}`).sort();
  });
}

function readChecks(path: string): readonly Check[] {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Check[];
  } catch (error) {
    const errorMessage = error instanceof Error ? error.message : String(error);
    return [{ id: "checks.json", status: "FAILURE", description: "cannot be read", errorMessage }];
  }
}

/** The folder is `server-<scenario>-<time>`. */
function describe(folder: string, { id, status, description, errorMessage }: Check): string {
  const scenario = folder.replace(/^server-/, "").replace(/-\d{4}-\d{2}-\d{2}T.*$/, "");
  return `${status} ${scenario} / ${id}: ${errorMessage ?? description}`;
}
