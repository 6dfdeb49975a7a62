import { hookDepthMax } from "../../../base/limits.ts";
import { HookCache, reasonOf } from "./read-hooks.ts";
import { HookPayload, HookQueue, type HookRun, type HookRunner } from "./hook-runner.ts";
import { HookLog, type SessionFolders, sessionIdOf } from "./session-folder.ts";
import {
  type Hook,
  type HookEnd,
  hookKey,
  type HookOccasion,
  type HooksFolder,
  isFailure,
} from "./hook.ts";

/** Different messages that are remembered; hooks have few things to complain about. */
const messagesMax = 1000;

/** Reports each message once: the fault of a hook is found at every call. */
class SaidOnce {
  readonly #say: (message: string) => void;
  readonly #said = new Set<string>();

  constructor(say: (message: string) => void) {
    this.#say = say;
  }

  say(message: string): void {
    if (this.#said.has(message) || this.#said.size >= messagesMax) return;
    this.#said.add(message);
    this.#say(message);
  }
}

export interface HooksParts {
  /** In the order in which their hooks run. */
  readonly folders: readonly HooksFolder[];
  readonly runner: Pick<HookRunner, "run">;
  readonly sessions: SessionFolders;
  /** The id of this run of the server. */
  readonly instanceId: string;
  /** The time limit of each hook, in ms. */
  readonly timeoutMs: number;
  /** How many hooks are above this process: one that calls a tool starts the hooks of that call. */
  readonly depth: number;
  /** Texts that are not written into the log. */
  readonly secrets: readonly string[];
  readonly warn: (message: string) => void;
  /** Called when a hook has ended. */
  readonly onEnd?: (hook: Hook, end: HookEnd) => void;
}

/** Why something is not done: a hook that was waited for did not let it through. */
export interface Veto {
  readonly hook: Hook;
  readonly end: HookEnd;
}

/** Runs one sync hook; undefined when it was left out. `waitUntil` is on the clock of `performance.now()`. */
type RunSync = (hook: Hook, run: HookRun, waitUntil: number) => Promise<HookEnd | undefined>;

/** Runs the hooks of events: `sync-*` one after the other and waited for, then the others in the background. */
export class Hooks {
  readonly #parts: HooksParts;
  readonly #cache: HookCache;
  readonly #log: HookLog;
  readonly #queue = new HookQueue();
  readonly #said: SaidOnce;
  readonly #closing = new AbortController();

  constructor(parts: HooksParts) {
    this.#parts = parts;
    this.#said = new SaidOnce(parts.warn);
    this.#log = new HookLog(parts.sessions, parts.warn, parts.secrets);
    this.#cache = new HookCache(parts.folders, (finding) => {
      if (finding.kind === "hook") return;
      this.#said.say(`The hook ${finding.path} is not run: ${reasonOf(finding)}.`);
    });
  }

  /** True when it is known that an event has no hooks: nothing has to be waited for. */
  hasNone(eventName: string): boolean {
    return this.#cache.hasNone(eventName);
  }

  /** See `HookCache.noneUntil`. */
  noneUntil(eventName: string): number {
    return this.#cache.noneUntil(eventName);
  }

  /**
   * Resolves when the hooks that are waited for have ended; the others may still run.
   * @throws AppError the error of `occasion.cwd`
   */
  emit(occasion: HookOccasion): Promise<Veto | undefined> {
    return this.#run(occasion, (hook, run, waitUntil) => {
      const leftMs = (): number => waitUntil - performance.now();
      return this.#queue.runWaited(run.signal, leftMs(), () =>
        this.#parts.runner.run(hook, { ...run, timeoutMs: Math.min(run.timeoutMs, leftMs()) }),
      );
    });
  }

  /** Reports something that has happened: nobody waits, and so nothing is kept from those that are waited for. */
  tell(occasion: HookOccasion): void {
    if (this.#cache.hasNone(occasion.eventName)) return;
    const running = this.#run(occasion, (hook, run) => this.#runInTime(hook, occasion, run));
    this.#queue.track(
      running.catch((error: unknown) => {
        this.#said.say(`Hooks of ${occasion.eventName} were not run: ${String(error)}.`);
      }),
    );
  }

  /** When no hook runs or waits any more, and all is logged. */
  async settled(): Promise<void> {
    await this.#queue.settled();
    await this.#log.settled();
  }

  /** Ends running hooks, and lets nothing begin or go on except occasions that are `isLast`. */
  close(): void {
    this.#closing.abort();
  }

  async #prepare(occasion: HookOccasion): Promise<HookRun> {
    const { clientId, cwd } = occasion;
    const { sessions, instanceId } = this.#parts;
    const folder = await cwd();
    const sessionId = sessionIdOf(instanceId, clientId);
    const makeFolder = (): Promise<string> => sessions.of(sessionId);
    const signals = occasion.isLast === true ? [] : [this.#closing.signal];
    if (occasion.signal !== undefined) signals.push(occasion.signal);
    return {
      sessionId,
      time: new Date().toISOString(),
      cwd: folder,
      phase: occasion.phase,
      payload: payloadOf(occasion, { cwd: folder, folder: makeFolder }),
      folder: makeFolder,
      timeoutMs: this.#parts.timeoutMs,
      signal: AbortSignal.any(signals),
    };
  }

  async #run(occasion: HookOccasion, runSync: RunSync): Promise<Veto | undefined> {
    const hooks = await this.#cache.list(occasion.eventName);
    if (hooks.length === 0 || this.#isTooDeep()) return undefined;
    const run = await this.#prepare(occasion);
    const { veto, told } = await this.#runInOrder(hooks, occasion, run, runSync);
    const others = veto === undefined ? hooks.filter((hook) => !hook.isSync) : [];
    if (others.length === 0) await told.payload[Symbol.asyncDispose]();
    else this.#runBeside(others, occasion, told);
    return veto;
  }

  /** `told`: the data that the last hook got, and that those in the background get. */
  async #runInOrder(
    hooks: readonly Hook[],
    occasion: HookOccasion,
    first: HookRun,
    runSync: RunSync,
  ): Promise<{ readonly veto?: Veto; readonly told: HookRun }> {
    const waitUntil = performance.now() + (occasion.waitMsMax ?? Infinity);
    let told = first;
    for (const hook of hooks) {
      if (!hook.isSync) continue;
      const end = await runSync(hook, told, waitUntil);
      if (end === undefined) continue;
      this.#onEnd(hook, occasion, end);
      if (end.state === "held") continue;
      const heeded = occasion.heed?.(hook, end) ?? (end.state === "done" ? "go-on" : "stop");
      if (heeded === "stop") return { veto: { hook, end }, told };
      if (heeded === "go-on") continue;
      await told.payload[Symbol.asyncDispose]();
      told = { ...told, payload: payloadOf(occasion, told) };
    }
    return { told };
  }

  #runBeside(hooks: readonly Hook[], occasion: HookOccasion, run: HookRun): void {
    // A hook that has the data of a call is not ended with that call.
    const signal = occasion.isLast === true ? neverAborted : this.#closing.signal;
    const runs = hooks.map(async (hook) => {
      const end = await this.#runInTime(hook, occasion, { ...run, signal });
      if (end !== undefined) this.#onEnd(hook, occasion, end);
    });
    this.#queue.track(Promise.all(runs).then(() => run.payload[Symbol.asyncDispose]()));
  }

  /** Undefined when it was left out, which was said. */
  async #runInTime(
    hook: Hook,
    { eventName, isLast = false }: HookOccasion,
    run: HookRun,
  ): Promise<HookEnd | undefined> {
    const room = { chars: run.payload.length, isLast };
    const end = await this.#queue.runBeside(run.signal, room, () =>
      this.#parts.runner.run(hook, run),
    );
    if (end !== undefined) return end;
    this.#said.say(`Too many hooks wait for their turn: some of ${eventName} were left out.`);
    return undefined;
  }

  #onEnd(hook: Hook, occasion: HookOccasion, end: HookEnd): void {
    const { instanceId, onEnd } = this.#parts;
    onEnd?.(hook, end);
    if (end.state === "held") {
      const remedy = "Look at it and run: scorpiox-code hooks approve";
      this.#said.say(`The hook ${hook.path} is not run: it ${end.how}. ${remedy}`);
      return;
    }
    this.#log.write(sessionIdOf(instanceId, occasion.clientId), hook, end);
    const isRefusal = hook.isSync && end.state === "failed" && end.exitCode !== null;
    if (isFailure(end) && !(isRefusal && occasion.canBeStopped === true)) {
      this.#tellOfFailure(hook, occasion, end);
    }
  }

  /** Hooks for failures may fail too: that is not reported to further hooks. */
  #tellOfFailure(hook: Hook, { eventName, clientId, cwd }: HookOccasion, end: HookEnd): void {
    if (eventName === "hook_failed") return;
    const { how, exitCode, output } = end;
    this.tell({
      eventName: "hook_failed",
      clientId,
      cwd,
      data: () => ({ hook: hookKey(hook), scope: hook.scope, reason: how, exitCode, output }),
    });
  }

  #isTooDeep(): boolean {
    if (this.#parts.depth < hookDepthMax) return false;
    this.#said.say(
      `No hooks are run here: ${this.#parts.depth} hooks are above this process, each started by a call of the one before.`,
    );
    return true;
  }
}

function payloadOf({ data }: HookOccasion, run: Pick<HookRun, "cwd" | "folder">): HookPayload {
  return new HookPayload(JSON.stringify(data(run.cwd)) ?? "null", run.folder);
}

const neverAborted = new AbortController().signal;
