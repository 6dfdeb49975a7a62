/** The unit: its score, and a server that it runs under a real systemd. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { productBinary, root } from "../../../test/e2e/harness/binary.ts";
import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { freePort } from "../../../test/e2e/harness/free-port.ts";
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

/** Why no systemd can be booted here; undefined where it can. */
export function whyNoSystemd(): string | undefined {
  if (process.getuid?.() !== 0) return "it needs root";
  return existsSync("/lib/systemd/systemd") ? undefined : "systemd is missing";
}

/** A systemd in a copy of this machine, with its network. */
export class Machine implements AsyncDisposable {
  readonly #child: Bun.Subprocess<"ignore", "ignore", "pipe">;

  /** @param preparation a script of sh, run in the copy before; `$1` is where the machine itself can be read, then `args` */
  constructor(preparation: string, args: readonly string[]) {
    const boot = join(root, "scripts/verify/deploy/boot.sh");
    const own = ["unshare", "--pid", "--mount", "--uts", "--ipc", "--fork", "--kill-child"];
    const argv = [...own, "sh", boot, preparation, ...args];
    this.#child = Bun.spawn(argv, { stdio: ["ignore", "ignore", "pipe"] });
  }

  /** Runs a command in it. */
  async run(argv: readonly string[]): Promise<{ isDone: boolean; said: string }> {
    const inside = await eventually("the first process", () => this.#firstProcess());
    const enter = ["nsenter", "-t", inside, "-p", "-m", "-u", "-i", "-r", "-w"];
    const child = Bun.spawn(["timeout", "300", ...enter, ...argv], {
      env: { PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/root", LANG: "C.UTF-8" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    const isDone = (await child.exited) === 0;
    return { isDone, said: isDone ? out : out + err };
  }

  /** Resolves when systemd takes commands. */
  async booted(): Promise<void> {
    await eventually(
      "systemd",
      async () => (await this.run(["systemctl", "is-system-running", "--wait"])).said !== "",
      60_000,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }

  /** The child of `unshare`, once it is systemd. */
  #firstProcess(): string | undefined {
    if (this.#child.exitCode !== null) throw new Error("the machine did not boot");
    const found = run(["pgrep", "--parent", String(this.#child.pid), "--full", "systemd --system"]);
    return found.isDone ? found.text : undefined;
  }
}

/** Places the unit as it is in the checkout, with an address to listen at. */
const placing = `
deploy=$1/$2 program=$1/$3 address=$4
shift 4
units=/etc/systemd/system
cp "$deploy/systemd/scorpiox-code.service" "$units/"
for dropin in "$@"; do
  mkdir -p "$units/scorpiox-code.service.d"
  cp "$deploy/systemd/$dropin" "$units/scorpiox-code.service.d/"
done
mkdir -p "$units/basic.target.wants" /etc/sysusers.d /etc/scorpiox
ln -s ../scorpiox-code.service "$units/basic.target.wants/"
ln -sf /dev/null "$units/nginx.service"
cp "$deploy/systemd/scorpiox.sysusers" /etc/sysusers.d/scorpiox.conf
echo "listen = \\"$address\\"" >/etc/scorpiox/http.toml
cp "$program" /usr/bin/scorpiox-code
systemd-sysusers`;

/** Boots systemd with the unit and asks the server what its sandbox can do. */
export async function serviceRow(name: string, dropIns: readonly string[]): Promise<Row> {
  const reason = whyNoSystemd();
  if (reason !== undefined) return notRun(name, reason);
  const address = `127.0.0.1:${freePort()}`;
  await using machine = new Machine(placing, [deployFolder, productBinary, address, ...dropIns]);
  try {
    const client = new HttpClient(`http://${address}/mcp`);
    await eventually("the server of the unit", () => isReady(address), 60_000);
    return dropIns.length === 0 ? await withCommands(name, client) : await without(name, client);
  } catch (error) {
    const log = await machine.run(["journalctl", "-u", unitName, "--no-pager", "-n", "5"]);
    return [name, "FAIL", `${String(error)} ${log.said.slice(-300)}`];
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
