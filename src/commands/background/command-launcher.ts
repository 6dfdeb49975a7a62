import { writeFileSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { randomHex } from "../../base/digests.ts";
import { AppError } from "../../base/errors.ts";
import { withProcessLimit } from "../process/command-limits.ts";
import { type RunningCommand, startCommand } from "../process/command.ts";
import type { Guardian } from "../process/guardian.ts";
import type { Family, Orphanage } from "../process/orphanage.ts";
import { ownerMark, ownerVariable } from "../process/processes.ts";
import type { Shell } from "../process/shell.ts";
import { Execution, type ExecutionParts } from "./execution.ts";
import { ShellReserve } from "./shell-reserve.ts";

/** How one command is kept within bounds by the system; made for it alone. */
export interface Confinement {
  /** The program to start instead, which starts `argv` within the bounds. */
  wrap(argv: readonly string[]): readonly string[];
  /** Added to the environment of the command, such as its TMPDIR. */
  readonly env: Readonly<Record<string, string>>;
  /** `env` is all of it: what the server has is not for the command. */
  readonly isWholeEnvironment?: true;
  /** Where the program that confines is started; absent: in the folder of the command, to which it goes in any case. */
  readonly startIn?: string;
  /** A folder for the text of a command that is too long for an argument, where the command does not see the usual one. */
  readonly scripts?: { readonly folder: string; readonly seenAs: string };
  /**
   * The input that the program reads from its descriptor 3 before it starts the command. At most 4 KiB: it waits in a
   * pipe.
   */
  readonly data?: Uint8Array;
  /** The confining program stays and kills the command when it is asked to end itself: so the command is asked instead. */
  readonly isOverseen?: boolean;
  /** Notes for the model: the sandbox of the command, and the parts that are not enforced; one sentence each. */
  readonly notes: readonly string[];
  /** Removes the resources of the command once it and everything it started are gone. Never rejects. */
  release(): Promise<void>;
  /** The resources of a command that outlives this process, for the process that takes over. */
  readonly holdings?: {
    readonly tmpDir: string;
    /** Paths with a stand-in, which nothing may put there. */
    readonly standIns: readonly { path: string; kind: "file" | "folder"; text?: string }[];
  };
  /** Gives the resources to another process, in the place of `release`. Never rejects. */
  handOver?(): Promise<void>;
}

/** Linux refuses one argument above 128 KiB; a longer command text goes through a file. */
const argumentBytesMax = 100 * 1024;

export interface LaunchSpec extends Omit<ExecutionParts, "orphanage" | "onGone"> {
  readonly cwd: string;
  readonly timeoutMs?: number | undefined;
  /** Released when the command and all that it started is gone; by the caller when it could not be started. */
  readonly confinement?: Confinement | undefined;
  /** The input of a program on its descriptor 3; a confined program finds that of its confinement. */
  readonly data?: Uint8Array | undefined;
}

export interface LauncherParts {
  readonly instanceId: string;
  readonly orphanage: Orphanage;
  readonly guardian: Guardian;
  readonly shell: Shell;
  /** Called when a family has outlived `reportAfterMs` and when it is gone: the next start ends families that this process leaves. */
  readonly onFamily?: (family: Family, isLive: boolean) => void;
}

/**
 * A family that ends sooner is reported to nobody: if the server is killed in that time, the owner mark finds the family.
 * Saves two writes and two wake-ups of the guardian for each short command.
 */
const reportAfterMs = process.platform === "linux" ? 30 : 0;

/** A family that may still have members. */
interface LiveFamily {
  readonly family: Family;
  readonly confinement: Confinement | undefined;
  /** Runs until it is reported. */
  report: ReturnType<typeof setTimeout> | undefined;
}

/** Starts commands with their owner mark and follows their families until nothing is left of them. */
export class CommandLauncher implements Disposable {
  readonly #parts: LauncherParts;
  readonly #reserve: ShellReserve;
  readonly #live = new Map<Execution, LiveFamily>();
  readonly #releasing = new Set<Promise<void>>();
  #commandNumber = 0;
  #isClosed = false;

  constructor(parts: LauncherParts) {
    this.#parts = parts;
    const { shell, orphanage } = parts;
    this.#reserve = new ShellReserve({ shell, orphanage, nextMark: () => this.nextMark() });
  }

  /** Executions whose family may still have members. */
  get live(): IterableIterator<Execution> {
    return this.#live.keys();
  }

  /** Starts a shell command. @throws AppError `system` when it cannot be started. */
  launch(spec: LaunchSpec, env: Readonly<Record<string, string>>): Execution {
    const { shell, guardian } = this.#parts;
    // Before the command: a server that is killed in between would leave that behind.
    guardian.start();
    // A shell that waits ready was started without bounds, and cannot be given any.
    const isFree = spec.confinement === undefined;
    const ready = isFree ? this.#reserve.take(spec.commandText, spec.cwd, env) : undefined;
    if (ready !== undefined) {
      const execution = this.#execution(spec);
      ready.setSink(execution.onOutput);
      return this.#follow(execution, ready.command, ready.mark, spec);
    }
    const script = scriptFor(shell, spec.commandText, spec.confinement?.scripts);
    try {
      const execution = this.#launch([shell.path, ...script.args], spec, env, withProcessLimit);
      if (script.file !== undefined) removeAtEnd(script.file, execution.ended);
      return execution;
    } catch (error) {
      if (script.file !== undefined) removeAtEnd(script.file, Promise.resolve());
      throw error;
    }
  }

  /** Starts a program; `spec.commandText` only names it. @throws AppError `system` */
  launchProgram(
    argv: readonly string[],
    spec: LaunchSpec,
    env: Readonly<Record<string, string>>,
  ): Execution {
    this.#parts.guardian.start();
    return this.#launch(argv, spec, env, (held) => held);
  }

  /** @param limited puts the program that limits it before the one that confines it */
  #launch(
    argv: readonly string[],
    spec: LaunchSpec,
    env: Readonly<Record<string, string>>,
    limited: typeof withProcessLimit,
  ): Execution {
    if (this.#isClosed) throw new AppError("cancelled", "The server is shutting down.");
    const mark = this.nextMark();
    const execution = this.#execution(spec);
    const { confinement } = spec;
    const base = confinement?.isWholeEnvironment === true ? {} : env;
    const command = startCommand({
      argv: limited(confinement?.wrap(argv) ?? argv, mark),
      cwd: confinement?.startIn ?? spec.cwd,
      env: { ...base, ...confinement?.env, PWD: spec.cwd, [ownerVariable]: mark },
      onOutput: execution.onOutput,
      data: confinement?.data ?? spec.data,
    });
    this.#parts.orphanage.addDirectChild(command.pid);
    return this.#follow(execution, command, mark, spec);
  }

  /** Resolves when all resources of ended commands are removed, and shells that waited for one have ended. */
  async released(): Promise<void> {
    await Promise.all([...this.#releasing, this.#reserve.ended()]);
  }

  /** Starts nothing any more, and lets shells that wait for a command go. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#reserve[Symbol.dispose]();
  }

  #execution(spec: LaunchSpec): Execution {
    const { orphanage } = this.#parts;
    return new Execution({ ...spec, orphanage, onGone: (gone) => this.#onGone(gone) });
  }

  #follow(
    execution: Execution,
    command: RunningCommand,
    mark: string,
    spec: LaunchSpec,
  ): Execution {
    const { orphanage } = this.#parts;
    const { confinement } = spec;
    const isOverseen = confinement?.isOverseen ?? false;
    const family: Family = { groupId: command.pid, mark, isOverseen };
    orphanage.add(family);
    const live: LiveFamily = { family, confinement, report: undefined };
    this.#live.set(execution, live);
    if (reportAfterMs === 0) this.#report(live);
    else live.report = setTimeout(() => this.#report(live), reportAfterMs).unref();
    execution.attach(command, family, spec.timeoutMs);
    void command.ended.then(() => orphanage.removeDirectChild(command.pid));
    return execution;
  }

  /** A value of the owner variable for one more command; also for children that are started elsewhere. */
  nextMark(): string {
    return ownerMark(this.#parts.instanceId, ++this.#commandNumber);
  }

  #report(live: LiveFamily): void {
    live.report = undefined;
    this.#parts.guardian.add(live.family.groupId);
    this.#parts.onFamily?.(live.family, true);
  }

  #onGone(execution: Execution): void {
    const live = this.#live.get(execution);
    if (live === undefined) return;
    this.#live.delete(execution);
    const { family, confinement, report } = live;
    this.#parts.orphanage.remove(family);
    if (report === undefined) {
      this.#parts.guardian.remove(family.groupId);
      this.#parts.onFamily?.(family, false);
    } else clearTimeout(report);
    if (confinement !== undefined) this.#release(confinement);
  }

  #release(confinement: Confinement): void {
    const released = confinement.release();
    this.#releasing.add(released);
    void released.then(() => this.#releasing.delete(released));
  }
}

function scriptFor(
  shell: Shell,
  commandText: string,
  place: Required<Confinement>["scripts"] = { folder: tmpdir(), seenAs: tmpdir() },
): { args: string[]; file?: string } {
  if (
    commandText.length * 3 < argumentBytesMax ||
    Buffer.byteLength(commandText) < argumentBytesMax
  ) {
    return { args: [...shell.args, shell.prefix + commandText] };
  }
  const extension = shell.args.includes("-Command") ? ".ps1" : ".sh";
  const name = `scorpiox-${randomHex(8)}${extension}`;
  const file = join(place.folder, name);
  writeFileSync(file, shell.prefix + commandText, { mode: 0o600, flag: "wx" });
  const seen = join(place.seenAs, name);
  return { args: extension === ".ps1" ? ["-NoProfile", "-File", seen] : [seen], file };
}

function removeAtEnd(file: string, ended: Promise<unknown>): void {
  void ended.then(() => unlink(file).catch(() => {}));
}
