/** The security and reliability battery, with our own limits; a skipped case counts as failed. */
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { productBinary, root } from "../../test/e2e/harness/binary.ts";
import { HttpServer } from "../../test/e2e/harness/http-server.ts";
import type { Outcome } from "./outcome.ts";

/** Protocol, Bash, background tasks, load, HTTP, network, files: the groups of what is built. */
const groups = "^(P|B|G|L|H|N|F)";
/** What is kept, with ten times the kills. A read-only home tells root nothing: `readOnlyHome` has that one. */
const storeGroups = ["--only", "^S", "--skip", "^S05$", "--heavy"];
/**
 * Other servers. They are looked for in the list, which does not have them while one of their neighbours has never said
 * what it offers: hence `--defer off`.
 */
const gatewayGroup = ["--gw-cmd", `${productBinary} --defer off --config {config}`, "--only", "^W"];
/** Of the server that the cases of HTTP talk to; all others start their own. */
const token = "battery-0123456789abcdef";
function limits(): string {
  return `exit_s=2,kill_s=${5 + lingerS()},rss_mb=250,flood_rss_mb=250,ping_p95_ms=50,start_ms=500`;
}

/** How long a hub keeps upstream servers for the next client (HB5). */
function lingerS(): number {
  if (process.env["SCORPIOX_HUB"] === "off") return 0;
  return Number(process.env["SCORPIOX_HUB_IDLE"] ?? 10);
}

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
  try {
    await using http = await HttpServer.start({ tokens: [token] });
    const targets = ["--cmd", productBinary, "--url", http.url, "--token", token];
    const others = await runCases([...targets, "--only", groups], folder);
    const stores = await runCases(["--cmd", productBinary, ...storeGroups], folder);
    const gateway = await runCases(gatewayGroup, folder);
    return judge([...others, ...stores, ...gateway, ...(await readOnlyHome(folder))]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface CaseRunner {
  /** Words before the command. */
  readonly wrap: readonly string[];
  readonly bun: string;
  readonly script: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const asOurselves: CaseRunner = {
  wrap: [],
  bun: process.execPath,
  script: join(root, "scripts/security/battery.ts"),
  env: process.env,
};

async function runCases(
  words: readonly string[],
  folder: string,
  { wrap, bun, script, env }: CaseRunner = asOurselves,
): Promise<CaseResult[]> {
  const json = join(folder, "results.json");
  rmSync(json, { force: true });
  const flags = [...words, "--limit", limits(), "--json", json];
  const child = Bun.spawn([...wrap, bun, script, ...flags], {
    cwd: folder,
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  await child.exited;
  return (JSON.parse(readFileSync(json, "utf8")) as { results: CaseResult[] }).results;
}

/** The user without rights of every Linux. */
const nobody = "65534";

/**
 * A home that may not be written is one for everybody but root: root runs the case as nobody, who can read copies of
 * what is needed.
 */
async function readOnlyHome(folder: string): Promise<CaseResult[]> {
  const own = mkdtempSync(join(tmpdir(), "verify-battery-ro-"));
  const runner: CaseRunner = {
    wrap: ["setpriv", "--reuid", nobody, "--regid", nobody, "--clear-groups"],
    bun: join(own, "bun"),
    script: join(own, "battery.ts"),
    env: { PATH: process.env["PATH"], HOME: own, TMPDIR: own, BATTERY_RO: "1" },
  };
  const words = (binary: string): string[] => ["--cmd", binary, "--only", "^S05$"];
  if (process.getuid?.() !== 0) return runCases(words(productBinary), folder);
  try {
    const binary = join(own, "scorpiox-code");
    cpSync(productBinary, binary);
    cpSync(process.execPath, runner.bun);
    cpSync(asOurselves.script, runner.script);
    chmodSync(own, 0o777);
    return await runCases(words(binary), own, runner);
  } finally {
    rmSync(own, { recursive: true, force: true });
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
    figures: `${passed} of ${results.length} cases pass, with the limits ${limits()}`,
    faults,
    details: results.map(({ id, title, status, note }) => [
      `${id} ${title}`,
      status === "PASS" ? "pass" : status,
      mayBeSkipped[id] ?? note,
    ]),
  };
}
