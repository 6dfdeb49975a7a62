import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import { AppError } from "../base/errors.ts";
import { sandboxTrialMsMax } from "../base/limits.ts";
import type { Environment } from "../base/values.ts";
import type { CallRequest } from "../calls/call.ts";
import type { Confinements, CopiedFile, FileToCopy } from "../calls/router/background-calls.ts";
import type { ActivePlan, ActivePlanOf } from "../calls/state-calls.ts";
import type { StartUp } from "../cli/start-up.ts";
import type { Confinement } from "../commands/background/command-launcher.ts";
import type { Supervisor } from "../commands/background/supervisor.ts";
import { loadLibc } from "../commands/process/libc.ts";
import { isProcessAlive } from "../commands/process/processes.ts";
import type { BackendParts, Start } from "../commands/sandbox/backends.ts";
import type { Sandbox } from "../commands/sandbox/sandbox.ts";
import { backendParts, sandboxSettings } from "./sandbox-trials.ts";
import type { Separation } from "./separation.ts";

/** A call that waits for a Worker for longer is looked at again: plan mode may have begun since. */
const aheadMsMax = 5;

export interface CommandSandboxParts {
  readonly start: StartUp;
  readonly env: Environment;
  readonly supervisor: Pick<Supervisor, "runProgram">;
  /** Commands are not run when this fails. */
  readonly activePlan: ActivePlanOf;
  /** Absent where there is one principal. */
  readonly separation?: Separation | undefined;
}

/** The sandbox of commands; loaded with the first that needs one. */
export class CommandSandbox implements Confinements {
  readonly #parts: CommandSandboxParts;
  #sandbox: Promise<Sandbox> | undefined;
  /** Plans that were looked for after a call had come, and when that was. */
  readonly #ahead = new WeakMap<CallRequest, { plan: ReturnType<ActivePlanOf>; at: number }>();

  constructor(parts: CommandSandboxParts) {
    this.#parts = parts;
  }

  async forCommand(
    call: CallRequest,
    cwd: string,
    isKept = false,
  ): Promise<Confinement | undefined> {
    const { separation } = this.#parts;
    const wasSeparate = separation?.hasBegun;
    const confinement = await this.#confine(call, cwd, isKept);
    if (separation?.hasBegun === wasSeparate) return confinement;
    // A second principal has come in the meantime: what was right for one is not for several.
    await confinement?.release();
    return this.#confine(call, cwd, isKept);
  }

  async #confine(
    call: CallRequest,
    cwd: string,
    isKept: boolean,
  ): Promise<Confinement | undefined> {
    const plan = await this.#planFor(call);
    const apart = await this.#confineApart(call, cwd, plan);
    if (apart !== undefined) return apart;
    return this.#isNeeded(plan) ? (await this.#load()).confine({ cwd, plan, isKept }) : undefined;
  }

  copyFor(call: CallRequest, file: FileToCopy): Promise<CopiedFile> {
    const { separation, supervisor } = this.#parts;
    if (separation === undefined) throw new AppError("unsupported", "Files are read by path here.");
    return separation.copyFor(call, file, supervisor);
  }

  lookAhead(call: CallRequest): void {
    const plan = this.#parts.activePlan(call);
    // The command is not run when this fails; without a command nobody asks.
    if (plan instanceof Promise) plan.catch(() => undefined);
    this.#ahead.set(call, { plan, at: performance.now() });
  }

  #planFor(call: CallRequest): ReturnType<ActivePlanOf> {
    const ahead = this.#ahead.get(call);
    const isFresh = ahead !== undefined && performance.now() - ahead.at < aheadMsMax;
    return isFresh ? ahead.plan : this.#parts.activePlan(call);
  }

  /** The sandbox in which a command of the call would run, as a clause; undefined = none. */
  readonly stateFor = async (call: CallRequest): Promise<string | undefined> => {
    const plan = await this.#parts.activePlan(call);
    if (call.client.ownPlace?.() !== undefined) return ownSandboxText(plan !== undefined);
    return this.#isNeeded(plan) ? (await this.#load()).stateFor(plan) : undefined;
  };

  #confineApart(
    { client }: CallRequest,
    cwd: string,
    plan: ActivePlan | undefined,
  ): Promise<Confinement | undefined> | undefined {
    const isReadOnly = this.#parts.start.config.settings.sandbox.mode === "read-only";
    const readOnly = isReadOnly || plan !== undefined ? { planFile: plan?.planFile } : undefined;
    return this.#parts.separation?.confine(client, cwd, readOnly);
  }

  /** The restrictions that plan mode can and cannot enforce here; one sentence each. */
  readonly planNotes = async (): Promise<readonly string[]> => {
    const sandbox = await this.#load();
    return sandbox.planNotes();
  };

  #isNeeded(plan: object | undefined): boolean {
    const { mode, hasNetwork } = this.#parts.start.config.settings.sandbox;
    return plan !== undefined || mode !== "off" || !hasNetwork;
  }

  #load(): Promise<Sandbox> {
    this.#sandbox ??= this.#create();
    return this.#sandbox;
  }

  async #create(): Promise<Sandbox> {
    const { start, env } = this.#parts;
    const { Backends } = await import("../commands/sandbox/backends.ts");
    const { Sandbox: SandboxClass } = await import("../commands/sandbox/sandbox.ts");
    const { StandIns } = await import("../commands/sandbox/stand-ins.ts");
    const { sweepPrivateFolders } = await import("../commands/sandbox/sandbox-folders.ts");
    const tmpDir = tmpdir();
    void sweepPrivateFolders(tmpDir, isProcessAlive);
    const libc = loadLibc();
    const standIns = new StandIns({
      share: (fd) => libc?.lockFile(fd, false) ?? true,
      takeAlone: (fd) => libc?.lockFile(fd, true) ?? true,
    });
    const { homeDir, scorpioxDir } = start.dirs;
    const own = { homeDir: await real(homeDir), scorpioxDir: await real(scorpioxDir) };
    const settings = sandboxSettings(start);
    const backends = new Backends(backendParts(start, env, (trial, cwd) => this.#try(trial, cwd)));
    return new SandboxClass({ settings, backends, standIns, own, tmpDir });
  }

  async #try({ command, data }: Start, cwd: string): ReturnType<BackendParts["run"]> {
    const { start, env, supervisor } = this.#parts;
    const chunks: Uint8Array[] = [];
    const execution = await supervisor.runProgram({
      argv: command,
      name: "trial of a sandbox",
      cwd,
      env: { PATH: env["PATH"] ?? "", HOME: start.dirs.homeDir },
      timeoutMs: sandboxTrialMsMax,
      signal: AbortSignal.timeout(sandboxTrialMsMax),
      onOutput: (chunk) => void chunks.push(chunk.slice()),
      ...(data === undefined ? {} : { data }),
    });
    const output = Buffer.concat(chunks).toString();
    return { exitCode: execution.exit?.exitCode ?? null, output };
  }
}

function ownSandboxText(isReadOnly: boolean): string {
  return `the own sandbox of this principal${isReadOnly ? ", read-only" : ""} (bubblewrap)`;
}

/** As far as it exists: the rest is created below that. */
async function real(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(await real(folder), basename(path));
  }
}
