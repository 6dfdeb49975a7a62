/** The unit: its score, and a server that it runs under a real systemd. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { productBinary, root } from "../../../test/e2e/harness/binary.ts";
import { freePort } from "../../../test/e2e/harness/free-port.ts";
import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { HttpClient, onlyMessage } from "../../../test/e2e/harness/http-client.ts";
import { textOf, toolNames } from "../../../test/e2e/harness/messages.ts";
import { notRun, type Row, run } from "../packages/rehearsal.ts";

export const deployFolder = join(root, "deploy");
const unitName = "scorpiox-code.service";

/** The unit with drop-ins, in a folder of its own as systemd has it. */
function placeUnit(dropIns: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-unit-"));
  cpSync(join(deployFolder, "systemd", unitName), join(folder, unitName));
  for (const dropIn of dropIns) {
    mkdirSync(join(folder, `${unitName}.d`), { recursive: true });
    cpSync(join(deployFolder, "systemd", dropIn), join(folder, `${unitName}.d`, dropIn));
  }
  return folder;
}

/** `systemd-analyze security`, offline. @param worst the exposure that fails: 0 is best, 10 is worst */
export function scoreRow(name: string, dropIns: readonly string[], worst: number): Row {
  if (Bun.which("systemd-analyze") === null) return notRun(name, "systemd-analyze is missing");
  const folder = placeUnit(dropIns);
  const unit = join(folder, unitName);
  const said = run(["systemd-analyze", "security", "--offline=true", "--no-pager", unit]);
  rmSync(folder, { recursive: true });
  const score = Number(/exposure level for \S+: ([\d.]+)/.exec(said.text)?.[1] ?? 10);
  return [name, score < worst ? "pass" : "FAIL", `exposure ${score} of 10`];
}

/** Boots systemd with the unit and asks the server what its sandbox can do. */
export async function serviceRow(name: string, dropIns: readonly string[]): Promise<Row> {
  if (process.getuid?.() !== 0) return notRun(name, "it needs root");
  if (!existsSync("/lib/systemd/systemd")) return notRun(name, "systemd is missing");
  const address = `127.0.0.1:${freePort()}`;
  const boot = join(root, "scripts/verify/deploy/boot.sh");
  const own = ["unshare", "--pid", "--mount", "--uts", "--ipc", "--fork", "--kill-child"];
  const argv = [...own, "sh", boot, deployFolder, productBinary, address, ...dropIns];
  const systemd = Bun.spawn(argv, { stdio: ["ignore", "ignore", "pipe"] });
  try {
    const client = new HttpClient(`http://${address}/mcp`);
    await eventually("the server of the unit", () => isReady(address), 60_000);
    return dropIns.length === 0 ? await withCommands(name, client) : await without(name, client);
  } catch (error) {
    systemd.kill("SIGKILL");
    return [name, "FAIL", `${String(error)} ${(await systemd.stderr.text()).slice(-300)}`];
  } finally {
    systemd.kill("SIGKILL");
    await systemd.exited;
  }
}

async function isReady(address: string): Promise<boolean> {
  const response = await fetch(`http://${address}/readyz`).catch(() => undefined);
  return response?.ok === true;
}

/** Each prints one word when it works. */
const attempts: Readonly<Record<string, string>> = {
  user: "[ $(id -un) = scorpiox ] && echo user",
  bubblewrap:
    "bwrap --ro-bind / / --proc /proc --dev /dev --unshare-all --hostname x true && echo bubblewrap",
  landlock:
    "scorpiox-code doctor sandbox | grep -q 'landlock, with the network  *works' && echo landlock",
  chromium:
    "timeout 40 chromium --headless --disable-gpu --user-data-dir=$TMPDIR/c --dump-dom 'data:text/html,<p>seen' 2>/dev/null | grep -q seen && echo chromium",
  "no rights": "grep -q '^CapBnd:.*0000000000000000' /proc/self/status && echo 'no rights'",
  "system read-only": "touch /usr/x /etc/x 2>/dev/null || echo 'system read-only'",
};

async function withCommands(name: string, client: HttpClient): Promise<Row> {
  const missing: string[] = [];
  for (const [what, command] of Object.entries(attempts)) {
    const call = { name: "Bash", arguments: { command } };
    const said = textOf(onlyMessage(await client.modern("tools/call", call)));
    if (!said.includes(what)) missing.push(`${what}: ${said.slice(0, 200)}`);
  }
  if (missing.length > 0) return [name, "FAIL", missing.join("; ")];
  return [name, "pass", `works in it: ${Object.keys(attempts).join(", ")}`];
}

async function without(name: string, client: HttpClient): Promise<Row> {
  const tools = toolNames(onlyMessage(await client.modern("tools/list")));
  const task = { name: "TaskManager", arguments: { action: "create", query: "", text: "kept" } };
  const said = textOf(onlyMessage(await client.modern("tools/call", task)));
  const fault = tools.includes("Bash") || !said.includes("kept");
  if (fault) return [name, "FAIL", `${tools.join(" ")}: ${said}`];
  return [name, "pass", `${tools.length} tools, without Bash; a task is kept`];
}
