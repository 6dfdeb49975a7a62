import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { extname } from "node:path";
import { startTimer } from "../../../base/cancellation.ts";
import { sha256Hex } from "../../../base/digests.ts";
import { messageOf, systemCodeOf } from "../../../base/errors.ts";
import {
  fileBusyRetriesMax,
  fileBusyRetryMs,
  hookArgumentBytesMax,
  hookArgumentCharsWindowsMax,
  hookOutputBytesMax,
  hooksRunningMax,
  hooksWaitingMax,
  hookWaitingCharsMax,
  terminateGraceMs,
} from "../../../base/limits.ts";
import { Turns } from "../../../base/turns.ts";
import type { Execution } from "../../../commands/background/execution.ts";
import type { ProgramSpec } from "../../../commands/background/supervisor.ts";
import {
  type HookApprovals,
  makePrivateFile,
  type PrivateFile,
  readHookContent,
  readHookHead,
} from "./hook-approvals.ts";
import { argvFor, type HookPrograms } from "./hook-launch.ts";
import { endOf, endWithoutRun, type Hook, type HookEnd, hookKey } from "./hook.ts";

/** The last argument of the hooks of one event: JSON, or `@` and the path of a file that has it. */
export class HookPayload implements AsyncDisposable {
  readonly #json: string;
  readonly #folder: () => Promise<string>;
  readonly #isLong: boolean;
  #file: Promise<PrivateFile> | undefined;

  /** @param folder makes the private folder for the file, when one is needed */
  constructor(json: string, folder: () => Promise<string>) {
    this.#json = json;
    this.#folder = folder;
    this.#isLong =
      process.platform === "win32"
        ? json.length > hookArgumentCharsWindowsMax
        : Buffer.byteLength(json) > hookArgumentBytesMax;
  }

  get length(): number {
    return this.#json.length;
  }

  /** @param isSafe false for a program that cannot take JSON on its command line */
  async argument(isSafe: boolean): Promise<string> {
    if (isSafe && !this.#isLong) return this.#json;
    this.#file ??= this.#makeFile();
    return `@${(await this.#file).path}`;
  }

  async #makeFile(): Promise<PrivateFile> {
    const folder = await this.#folder();
    return makePrivateFile(folder, this.#json, { extension: ".json", mode: 0o600 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const file = await this.#file?.catch(() => undefined);
    await file?.[Symbol.asyncDispose]();
  }
}

/**
 * Why the program that a script names in its first line does not start it; undefined when it does, or the script names
 * none. The system only says that there is no such file, and means that program.
 * @param head the first bytes of the script
 */
async function interpreterFault(head: Uint8Array): Promise<string | undefined> {
  const [line = ""] = new TextDecoder().decode(head).split("\n");
  const program = /^#![ \t]*([^ \t]+)/.exec(line)?.[1];
  if (program === undefined) return undefined;
  if (program.endsWith("\r")) {
    return "its first line ends with a carriage return: save it with the line ends of this system (LF)";
  }
  try {
    await access(program, constants.X_OK);
    return undefined;
  } catch {
    return `its first line names ${program}, which cannot be run: install it, or change that line`;
  }
}

/** Both ends of it. */
const outputSizes = { headBytes: hookOutputBytesMax / 2, windowBytes: hookOutputBytesMax };

export interface HookRunnerParts {
  readonly runProgram: (spec: ProgramSpec) => Promise<Execution>;
  /** The environment of commands. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /** Added to it for every hook. */
  readonly ownEnvironment: Readonly<Record<string, string>>;
  readonly programs: (path: string | undefined) => HookPrograms;
  /** Undefined where there is no project. */
  readonly approvals: HookApprovals | undefined;
}

/** The input of one run of a hook, and its time limit. */
export interface HookRun {
  readonly sessionId: string;
  /** ISO 8601. */
  readonly time: string;
  readonly cwd: string;
  readonly phase?: "pre" | "post" | undefined;
  readonly payload: HookPayload;
  /** For files that the hook needs. */
  readonly folder: () => Promise<string>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Runs one hook to its end. */
export class HookRunner {
  readonly #parts: HookRunnerParts;

  constructor(parts: HookRunnerParts) {
    this.#parts = parts;
  }

  /** Never rejects: a failure is part of its end. */
  async run(hook: Hook, run: HookRun): Promise<HookEnd> {
    if (run.signal.aborted) return endWithoutRun("cancelled", "was not run any more");
    if (hook.fault !== undefined) return notStarted(hook.fault);
    try {
      if (hook.scope === "user") return await this.#start(hook, hook.path, run);
      return await this.#runApproved(hook, run);
    } catch (error) {
      return notStarted(messageOf(error));
    }
  }

  /** Runs a copy of the approved content: the file itself may be changed between the check and the start. */
  async #runApproved(hook: Hook, run: HookRun): Promise<HookEnd> {
    const content = await readHookContent(hook.path);
    const approved = (await this.#parts.approvals?.read())?.get(hookKey(hook));
    if (approved === undefined) return endWithoutRun("held", "is not approved");
    if (approved !== sha256Hex(content))
      return endWithoutRun("held", "was changed after its approval");
    const shape = { extension: extname(hook.name), mode: 0o700 };
    await using copy: PrivateFile = await makePrivateFile(await run.folder(), content, shape);
    return await this.#start(hook, copy.path, run);
  }

  async #start(hook: Hook, path: string, run: HookRun): Promise<HookEnd> {
    const environment = await this.#parts.environment();
    const programs = this.#parts.programs(environment["PATH"] ?? environment["Path"]);
    const head = await readHookHead(path);
    const start = argvFor(hook.launch, path, head, programs);
    const argument = await run.payload.argument(hook.launch !== "batch");
    const starting = this.#startPatiently({
      argv: [...start, hook.eventName, run.sessionId, run.time, argument],
      name: `hook ${hookKey(hook)}`,
      cwd: run.cwd,
      env: { ...environment, ...this.#parts.ownEnvironment, ...variablesOf(hook, run) },
      timeoutMs: run.timeoutMs,
      graceMs: terminateGraceMs,
      signal: run.signal,
      outputSizes,
      onOutput: () => {},
    });
    return await starting.then(
      (execution) => endOf(execution, run.timeoutMs),
      async (error: unknown) => {
        const fault = hook.launch === "direct" ? await interpreterFault(head) : undefined;
        return notStarted(fault ?? messageOf(error));
      },
    );
  }

  /** Another child that is being started at this moment may hold the new copy open: it cannot be run until that is over. */
  async #startPatiently(spec: ProgramSpec): Promise<Execution> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#parts.runProgram(spec);
      } catch (error) {
        const cause = error instanceof Error ? error.cause : undefined;
        if (systemCodeOf(cause) !== "ETXTBSY" || attempt === fileBusyRetriesMax) throw error;
        await Bun.sleep(fileBusyRetryMs);
      }
    }
  }
}

/** @param why with or without a full stop: the sentence may go on */
function notStarted(why: string): HookEnd {
  return endWithoutRun("not_started", `could not be run: ${why.replace(/\.$/, "")}`);
}

function variablesOf(hook: Hook, { cwd, sessionId, phase }: HookRun): Record<string, string> {
  return {
    ...(phase === undefined ? {} : { SX_PHASE: phase }),
    SX_CWD: cwd,
    SX_HOOKS_DIR: hook.hooksDir,
    SX_EVENT: hook.eventName,
    SX_SESSION_ID: sessionId,
  };
}

/** Bounds how many hooks run and wait at a time: those that calls wait for, and the others apart from them. */
export class HookQueue {
  readonly #waited = new Turns(hooksRunningMax);
  readonly #beside = new Turns(hooksRunningMax);
  /** Hooks of ends: when the server ends there is no time to wait until others that were ended are gone. */
  readonly #last = new Turns(hooksRunningMax);
  readonly #open = new Set<Promise<unknown>>();
  #waitingRuns = 0;
  #waitingChars = 0;

  /**
   * Runs `start` when it is its turn.
   * @param waitMsMax it is not run when its turn does not come within this
   */
  async runWaited(
    signal: AbortSignal,
    waitMsMax: number,
    start: () => Promise<HookEnd>,
  ): Promise<HookEnd> {
    if (waitMsMax === Infinity) return runInTurn(this.#waited, signal, start);
    if (waitMsMax <= 0) return outOfTime;
    const patience = new AbortController();
    const timer = startTimer(waitMsMax, () => patience.abort());
    const isWanted = AbortSignal.any([signal, patience.signal]);
    const end = await runInTurn(this.#waited, isWanted, () => {
      timer.stop();
      return start();
    });
    timer.stop();
    return patience.signal.aborted ? outOfTime : end;
  }

  /**
   * As `runWaited`, for a hook that no call waits for.
   * @param chars the characters kept for it meanwhile
   * @returns undefined when too many wait already
   */
  async runBeside(
    signal: AbortSignal,
    { chars, isLast }: { readonly chars: number; readonly isLast: boolean },
    start: () => Promise<HookEnd>,
  ): Promise<HookEnd | undefined> {
    if (this.#waitingRuns >= hooksWaitingMax) return undefined;
    if (this.#waitingChars > 0 && this.#waitingChars + chars > hookWaitingCharsMax)
      return undefined;
    this.#waitingRuns++;
    this.#waitingChars += chars;
    try {
      return await runInTurn(isLast ? this.#last : this.#beside, signal, start);
    } finally {
      this.#waitingRuns--;
      this.#waitingChars -= chars;
    }
  }

  /** `settled` waits for it. It must not reject. */
  track(work: Promise<unknown>): void {
    this.#open.add(work);
    void work.finally(() => this.#open.delete(work));
  }

  /** Resolves when nothing is open any more, including writes begun meanwhile. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }
}

const outOfTime = endWithoutRun(
  "timed_out",
  "was not run: hooks before it took all the time there is",
);

async function runInTurn(
  turns: Turns,
  signal: AbortSignal,
  start: () => Promise<HookEnd>,
): Promise<HookEnd> {
  try {
    using _turn = await turns.take(signal);
    return await start();
  } catch {
    return endWithoutRun("cancelled", "was not run any more");
  }
}
