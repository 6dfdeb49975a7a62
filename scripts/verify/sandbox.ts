/**
 * Plan mode holds commands that write: under each sandbox, for root and for an unprivileged user. Afterwards the same
 * commands do what they say, which shows that they were held and not broken.
 */
import { SandboxYard } from "../../test/e2e/harness/sandbox-yard.ts";
import type { DigestDepth } from "../../test/e2e/harness/tree-digest.ts";
import { type WritingCommand, writingCommands } from "../../test/e2e/harness/writing-commands.ts";
import type { Outcome } from "./outcome.ts";

const nobody = 65_534;
const costRuns = 100;
const looksMax = 50;
const lookMs = 20;

interface Setting {
  readonly backend: "bubblewrap" | "landlock";
  readonly uid: number | undefined;
}

interface Held {
  readonly faults: string[];
  readonly held: number;
  readonly effective: number;
}

export async function checkSandbox(): Promise<Outcome> {
  const isRoot = process.getuid?.() === 0;
  const users = isRoot ? [undefined, nobody] : [undefined];
  const faults: string[] = [];
  const details: [string, string, string][] = [];
  for (const backend of ["bubblewrap", "landlock"] as const) {
    for (const uid of users) {
      const who = uid === undefined ? (isRoot ? "root" : "user") : "nobody";
      const name = `plan mode, ${backend}, ${who}`;
      const result = await checkOne({ backend, uid });
      faults.push(...result.faults.map((fault) => `${name}: ${fault}`));
      const figure = `${result.held} of ${writingCommands.length} writing commands held, ${result.effective} of them write when it is over`;
      details.push([name, result.faults.length === 0 ? "pass" : "FAIL", figure]);
    }
  }
  details.push(...(await costs()));
  const figures = details.map(([name, , figure]) => `${name}: ${figure}`).join("; ");
  return { name: "sandbox", passed: faults.length === 0, figures, faults, details };
}

/** From call to answer of a command that does nothing. */
async function costs(): Promise<[string, string, string][]> {
  const settings: [string, Readonly<Record<string, string>>][] = [
    ["none", {}],
    ...(["bubblewrap", "landlock"] as const).map((backend): [string, Record<string, string>] => [
      backend,
      { SCORPIOX_SANDBOX: "read-only", SCORPIOX_SANDBOX_BACKEND: backend },
    ]),
    ["bubblewrap, no network", { SCORPIOX_SANDBOX: "read-only", SCORPIOX_SANDBOX_NETWORK: "off" }],
  ];
  const rows: [string, string, string][] = [];
  for (const [name, env] of settings) {
    await using yard = new SandboxYard({ env });
    await yard.ready();
    const times: number[] = [];
    for (let run = 0; run < costRuns; run++) {
      const startedAt = performance.now();
      await yard.bash("true");
      times.push(performance.now() - startedAt);
    }
    const median = times.sort((one, other) => one - other)[costRuns / 2] ?? 0;
    rows.push([
      `time of a command, sandbox ${name}`,
      "measured",
      `median ${median.toFixed(1)} ms of ${costRuns}`,
    ]);
  }
  return rows;
}

async function checkOne({ backend, uid }: Setting): Promise<Held> {
  const env = { SCORPIOX_SANDBOX_BACKEND: backend };
  await using yard = new SandboxYard({
    env,
    hasHelper: true,
    ...(uid === undefined ? {} : { uid }),
  });
  await yard.ready();
  const faults: string[] = [];
  await yard.server.call("PlanMode", { action: "enter", goal: "look only" });
  const plan = await yard.bash(
    'for f in .scorpiox/plans/*.md; do echo step >> "$f" && tail -1 "$f"; done; echo x >/dev/null',
  );
  if (!plan.startsWith("step\n")) faults.push(`the plan file cannot be written: ${plan}`);
  if (!plan.includes("for plan mode")) faults.push(`the result does not name the sandbox: ${plan}`);
  let held = 0;
  for (const writing of writingCommands) {
    const depth: DigestDepth =
      backend === "landlock" && writing.isAttribute === true ? "contents" : "all";
    const before = yard.lines(depth);
    const said = await yard.bash(writing.command);
    const changed = difference(before, yard.lines(depth));
    if (changed.length === 0) held++;
    else faults.push(`${writing.name} changed ${changed.join(", ")}: ${said}`);
    if (changed.length > 0) yard.restore();
  }
  const effective = await countEffective(yard, uid === undefined, faults);
  return { faults, held, effective };
}

async function countEffective(
  yard: SandboxYard,
  isRoot: boolean,
  faults: string[],
): Promise<number> {
  await yard.server.call("PlanMode", { action: "reset" });
  let effective = 0;
  for (const writing of writingCommands.filter((one) => mustWrite(one, isRoot))) {
    const before = yard.lines("all");
    const said = await yard.bash(`TMPDIR=$(mktemp -d -p "$SCRATCH"); ${writing.command}`);
    if (await changes(yard, before)) effective++;
    else faults.push(`${writing.name} changed nothing unheld: ${said}`);
    yard.restore();
  }
  return effective;
}

/** The helper writes after its asker has ended. */
async function changes(yard: SandboxYard, before: readonly string[]): Promise<boolean> {
  for (let look = 0; look < looksMax; look++) {
    if (difference(before, yard.lines("all")).length > 0) return true;
    await Bun.sleep(lookMs);
  }
  return false;
}

function mustWrite({ isTrick, asRoot }: WritingCommand, isRoot: boolean): boolean {
  return isTrick !== true && (asRoot !== true || isRoot);
}

function difference(before: readonly string[], after: readonly string[]): string[] {
  const [was, is] = [new Set(before), new Set(after)];
  return [...before.filter((line) => !is.has(line)), ...after.filter((line) => !was.has(line))];
}
