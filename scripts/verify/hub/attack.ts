/**
 * A command tries to get to the hub of its user: as a program of its own, as scorpiox-code, as an orphan without a mark, by
 * files, debuggers and limits. Run by Bash and BackgroundBash without a sandbox, under Landlock, and in plan mode.
 *
 *     bun scripts/verify/run.ts --only hub-attack
 *
 * Linux with Python only. For an unprivileged user, since root can do anything to the processes of root. That the words of
 * the handshake are right is shown by the same program started by a person: it is admitted.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { textOf } from "../../../test/e2e/harness/messages.ts";
import type { Server } from "../../../test/e2e/harness/server.ts";
import type { Outcome } from "../outcome.ts";
import { type Attempt, attempts } from "./attempts.ts";
import { checkImpostors } from "./impostor.ts";
import { UserHome, nobody, python, upstreamOf } from "./user-home.ts";

const tools = join(import.meta.dir, "attack");

/** How the command is run. */
interface Mode {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly tool: "Bash" | "BackgroundBash";
  readonly isPlan?: true;
  /** The command is one that outlives its client: the hub has started it. */
  readonly isKept?: true;
  readonly isSandboxed: boolean;
  /** As root, where this is run by root. */
  readonly isRoot?: true;
}

const landlock = { SCORPIOX_SANDBOX: "workspace-write", SCORPIOX_SANDBOX_BACKEND: "landlock" };
const modes: readonly Mode[] = [
  { name: "Bash", env: {}, tool: "Bash", isSandboxed: false },
  { name: "Bash, root", env: {}, tool: "Bash", isSandboxed: false, isRoot: true },
  { name: "BackgroundBash", env: {}, tool: "BackgroundBash", isSandboxed: false },
  {
    name: "BackgroundBash, kept",
    env: { SCORPIOX_HUB: "on" },
    tool: "BackgroundBash",
    isKept: true,
    isSandboxed: false,
  },
  {
    name: "BackgroundBash, kept, Landlock",
    env: { SCORPIOX_HUB: "on", ...landlock },
    tool: "BackgroundBash",
    isKept: true,
    isSandboxed: true,
  },
  { name: "Bash, Landlock", env: landlock, tool: "Bash", isSandboxed: true },
  { name: "BackgroundBash, Landlock", env: landlock, tool: "BackgroundBash", isSandboxed: true },
  { name: "plan mode", env: {}, tool: "Bash", isPlan: true, isSandboxed: true },
  {
    name: "plan mode, Landlock",
    env: { SCORPIOX_SANDBOX_BACKEND: "landlock" },
    tool: "Bash",
    isPlan: true,
    isSandboxed: true,
  },
];

interface Tally {
  refused: number;
  readonly entered: string[];
  readonly remaining: string[];
}

/** @param only names of attempts; absent = all. @param onlyMode the same of a mode */
export async function checkHubAttack(
  only?: readonly string[],
  onlyMode?: string,
): Promise<Outcome> {
  const details: [string, string, string][] = [];
  const faults: string[] = [];
  const control = await checkControl();
  faults.push(...control);
  details.push([
    "the same programs, started by a person",
    control.length === 0 ? "admitted" : "FAIL",
    "shows that the words of the handshake are right",
  ]);
  const impostors = await checkImpostors(only);
  faults.push(...impostors.faults.map((each) => `impostor: ${each}`));
  const { count: all } = impostors;
  const refused = `${all - impostors.faults.length} of ${all} refused`;
  details.push([
    "in the place of the hub",
    impostors.faults.length === 0 ? "pass" : "FAIL",
    refused,
  ]);
  const chosen = modes
    .filter(({ name }) => onlyMode === undefined || name === onlyMode)
    .filter(({ isRoot: needsRoot }) => needsRoot !== true || isRoot);
  for (const mode of chosen) {
    const tally = await attackIn(mode, only, faults);
    const count = tally.refused + tally.entered.length;
    faults.push(...tally.entered.map((each) => `${mode.name}: ${each}`));
    const remaining =
      tally.remaining.length === 0
        ? ""
        : `; possible, as documented: ${tally.remaining.join(", ")}`;
    const figure = `${tally.refused} of ${count} refused${remaining}`;
    details.push([mode.name, tally.entered.length === 0 ? "pass" : "FAIL", figure]);
    console.log(`hub-attack: ${mode.name}: ${figure}`);
  }
  const figures = details.map(([name, , figure]) => `${name}: ${figure}`).join("; ");
  return { name: "hub: attacks", passed: faults.length === 0, figures, faults, details };
}

const isRoot = process.getuid?.() === 0;

/** The hub with a client in another workspace, and all that an attack needs to know of them. */
class Stage implements AsyncDisposable {
  readonly home: UserHome;
  readonly target: string;
  readonly workspace: string;
  readonly #program: string;
  readonly #result: string;
  #victim: Server | undefined;
  #hub = 0;
  #upstream = 0;

  constructor({ isRoot: isForRoot }: Pick<Mode, "isRoot"> = {}) {
    this.home = new UserHome(isRoot && isForRoot !== true ? { uid: nobody } : {});
    this.target = this.home.workspace("target");
    this.workspace = this.home.workspace("workspace");
    const text = readFileSync(join(tools, "attack.py"), "utf8");
    this.#program = this.home.write("workspace/attack.py", text);
    this.#result = this.home.at("workspace/result");
  }

  async begin(): Promise<void> {
    this.#victim = await this.home.client(this.target, { env: { SCORPIOX_HUB: "on" } });
    this.#upstream = await upstreamOf(this.#victim);
    const { pid, place, socket } = await this.home.hub();
    this.#hub = pid;
    const task = textOf(
      await this.#victim.call("BackgroundBash", {
        command: `echo ${this.home.canary}; sleep 600`,
        keep: true,
      }),
    );
    const script = (name: string): string =>
      this.home.write(`workspace/${name}`, readFileSync(join(tools, name), "utf8"));
    const hubArguments = {
      scorpioxDir: join(this.home.home, ".scorpiox"),
      homeDir: this.home.home,
      shellPath: null,
      idleS: 10,
      keepHours: 24,
    };
    const facts = {
      home: this.home.home,
      program: this.home.program,
      workspace: this.workspace,
      target: this.target,
      place,
      socket,
      hub: pid,
      client: this.#victim.pid,
      upstream: this.#upstream,
      canary: this.home.canary,
      forbidden: this.home.forbidden,
      task: Number(/task_id: (\d+)/.exec(task)?.[1]),
      preload: script("preload.c"),
      inside: script("inside.cjs"),
      hubArguments: JSON.stringify(hubArguments),
      result: this.#result,
    };
    this.home.write("workspace/facts.json", JSON.stringify(facts));
  }

  command(attempt: string): string {
    const words = [python, "-I", this.#program, join(this.workspace, "facts.json"), attempt];
    return words.map((word) => `'${word}'`).join(" ");
  }

  /** What an attempt says of itself, in the output of its command or in its file. */
  resultIn(output: string): string | undefined {
    const said = existsSync(this.#result) ? readFileSync(this.#result, "utf8") : output;
    return /^RESULT (.*)$/m.exec(said)?.[1];
  }

  clear(): void {
    rmSync(this.#result, { force: true });
  }

  /** What shows that the hub and its client were harmed; they must go on as they were. */
  async harm(): Promise<string | undefined> {
    if (existsSync(this.home.forbidden)) return "something ran that must not";
    const upstream = await upstreamOf(this.#victim!);
    if (upstream !== this.#upstream) return `its client has another server: ${upstream}`;
    const { pid } = await this.home.hub();
    return pid === this.#hub ? undefined : `another hub runs: ${pid}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]();
  }
}

/** Started by nobody's server, both programs are admitted: otherwise their refusal would show nothing. */
async function checkControl(): Promise<readonly string[]> {
  await using stage = new Stage();
  await stage.begin();
  const faults: string[] = [];
  for (const attempt of ["becomes-program", "wiped-daemon", "preloaded-script"]) {
    stage.clear();
    const argv = [...stage.home.asUser, "/bin/sh", "-c", stage.command(attempt)];
    const child = Bun.spawn(argv, {
      cwd: stage.workspace,
      env: stage.home.environment(),
      stdio: ["ignore", "ignore", "ignore"],
    });
    const result = await eventually("a result", () => stage.resultIn("")).catch(String);
    child.kill("SIGKILL");
    if (!result.startsWith("entered")) {
      faults.push(
        `a person's ${attempt} was not admitted, so that the check shows nothing: ${result}`,
      );
    }
  }
  return faults;
}

async function attackIn(
  mode: Mode,
  only: readonly string[] | undefined,
  faults: string[],
): Promise<Tally> {
  const tally: Tally = { refused: 0, entered: [], remaining: [] };
  const chosen = attempts
    .filter(({ name }) => only?.includes(name) ?? true)
    .filter(({ isForRoot }) => mode.isRoot !== true || isForRoot === true)
    .filter(({ isUnsandboxed }) => !mode.isSandboxed || isUnsandboxed !== true)
    // A kept task has no server, and the hub is looked after by its clients.
    .filter(({ endsServer }) => mode.isKept !== true || endsServer !== true);
  for (let rest = chosen; rest.length > 0;) {
    // Whoever changes the hub's process is the last one there.
    const end = rest.findIndex(({ tampers }) => tampers === true);
    const count = end === -1 ? rest.length : end + 1;
    await attackOne(mode, rest.slice(0, count), tally, faults);
    rest = rest.slice(count);
  }
  return tally;
}

/** Attempts at one hub, one after the other. */
async function attackOne(
  mode: Mode,
  chosen: readonly Attempt[],
  tally: Tally,
  faults: string[],
): Promise<void> {
  await using stage = new Stage(mode);
  await stage.begin();
  let server: Server | undefined;
  for (const attempt of chosen) {
    server ??= await attackerIn(stage, mode);
    stage.clear();
    const result = await tryOne(stage, server, mode, attempt);
    if (attempt.endsServer === true) server = undefined;
    const line = `${attempt.name} (${attempt.what}): ${result}`;
    if (process.env["HUB_ATTACK_VERBOSE"] !== undefined) console.log(`  ${mode.name}: ${line}`);
    if (!result.startsWith("entered")) tally.refused++;
    else if (remainsIn(mode, attempt)) tally.remaining.push(attempt.what);
    else tally.entered.push(line);
    const harm = await stage.harm();
    if (harm === undefined) continue;
    faults.push(`${mode.name}: after ${attempt.name}: ${harm}`);
    return;
  }
}

/** What docs/security.md says of it. */
function remainsIn({ isSandboxed, env }: Mode, { remains, isReading }: Attempt): boolean {
  if (remains !== true) return false;
  return !isSandboxed || (isReading === true && env["SCORPIOX_SANDBOX_BACKEND"] === "landlock");
}

async function attackerIn(stage: Stage, mode: Mode): Promise<Server> {
  const server = await stage.home.client(stage.workspace, {
    env: { SCORPIOX_HUB: "off", ...mode.env },
  });
  await readElsewhere(server);
  if (mode.isPlan === true) {
    await server.call("PlanMode", { action: "enter", goal: "look only" });
  }
  return server;
}

/** A task of another workspace does not exist for this one. */
async function readElsewhere(server: Server): Promise<void> {
  for (const tool of ["ReadBgOutput", "KillBgTask"]) {
    const said = textOf(await server.call(tool, { task_id: 1_001 }));
    if (!/^No .*1001/.test(said))
      throw new Error(`${tool} of another workspace's task said: ${said}`);
  }
}

/** For an attempt that ends nothing: all its own waits are over by then. */
const attemptMsMax = 60_000;

async function tryOne(
  stage: Stage,
  server: Server,
  { tool, isKept }: Mode,
  { name, endsServer }: Attempt,
): Promise<string> {
  const command = stage.command(name);
  if (endsServer === true) {
    void server.call("BackgroundBash", { command: `${command}; sleep 60` }).catch(() => undefined);
    // It has found its new parent and spoken, was ended with its server, or cannot end that.
    const found = await eventually("a result", () => stage.resultIn("")).catch(() => undefined);
    server.signal("SIGKILL");
    await server.exited;
    return found ?? "refused: it was ended with its server";
  }
  if (tool === "Bash") {
    const reply = await server.request(
      "tools/call",
      { name: "Bash", arguments: { command, timeout: attemptMsMax } },
      attemptMsMax * 2,
    );
    return stage.resultIn(textOf(reply)) ?? `said nothing: ${textOf(reply).slice(0, 300)}`;
  }
  const output = join(stage.workspace, "output");
  rmSync(output, { force: true });
  const reply = await server.call("BackgroundBash", {
    command: `${command} >${output} 2>&1; sleep 60`,
    ...(isKept === true && { keep: true }),
  });
  const id = Number(/task_id: (\d+)/.exec(textOf(reply))?.[1]);
  const result = await eventually("a result", () =>
    stage.resultIn(existsSync(output) ? readFileSync(output, "utf8") : ""),
  ).catch(String);
  await server.call("KillBgTask", { task_id: id });
  return result;
}
