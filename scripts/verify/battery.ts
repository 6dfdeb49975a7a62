/** The security and reliability battery, with our own limits; a skipped case counts as failed. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { productBinary, root } from "../../test/e2e/harness/binary.ts";
import { HttpServer } from "../../test/e2e/harness/http-server.ts";
import type { Outcome } from "./outcome.ts";

/** Protocol, Bash, background tasks, load, HTTP, network, files: the groups of what is built (F09 and F10 are not). */
const groups = "^(P|B|G|L|H|N|F0[1-6])";
/** Of the server that the cases of HTTP talk to; all others start their own. */
const token = "battery-0123456789abcdef";
const limits = "exit_s=2,kill_s=5,rss_mb=250,flood_rss_mb=250,ping_p95_ms=50,start_ms=500";

/** Cases that may be skipped, each with its reason. */
const mayBeSkipped: Readonly<Record<string, string>> = {};

interface CaseResult {
  readonly id: string;
  readonly title: string;
  readonly status: "PASS" | "FAIL" | "SKIP";
  readonly note: string;
  readonly seconds: number;
}

export async function checkBattery(): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "verify-battery-"));
  const json = join(folder, "results.json");
  try {
    const script = join(root, "scripts/security/battery.ts");
    await using http = await HttpServer.start({ tokens: [token] });
    const targets = ["--cmd", productBinary, "--url", http.url, "--token", token];
    const flags = ["--only", groups, "--limit", limits, "--json", json];
    const child = Bun.spawn([process.execPath, script, ...targets, ...flags], {
      cwd: folder,
      stdio: ["ignore", "inherit", "inherit"],
    });
    await child.exited;
    const { results } = JSON.parse(readFileSync(json, "utf8")) as { results: CaseResult[] };
    return judge(results);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function judge(results: readonly CaseResult[]): Outcome {
  const isFine = ({ id, status }: CaseResult): boolean =>
    status === "PASS" || (status === "SKIP" && id in mayBeSkipped);
  const faults = results
    .filter((result) => !isFine(result))
    .map(({ id, status, title, note }) => `${status} ${id} ${title}: ${note}`);
  const passed = results.filter(({ status }) => status === "PASS").length;
  return {
    name: "battery",
    passed: faults.length === 0 && passed > 0,
    figures: `${passed} of ${results.length} cases pass, with the limits ${limits}`,
    faults,
    details: results.map(({ id, title, status, note }) => [
      `${id} ${title}`,
      status === "PASS" ? "pass" : status,
      mayBeSkipped[id] ?? note,
    ]),
  };
}
