import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AppError } from "../../base/errors.ts";
import { loginShellMsMax, terminateGraceMs } from "../../base/limits.ts";
import { withProcessLimit } from "../process/command-limits.ts";
import { type RunningCommand, startCommand } from "../process/command.ts";
import type { Guardian } from "../process/guardian.ts";
import type { Family, Orphanage } from "../process/orphanage.ts";
import { ownerMark, ownerVariable } from "../process/proc-table.ts";
import { childEnvironment, readLoginPath, type RunProgram, type Shell } from "../process/shell.ts";
import type { Confinement } from "./confinement.ts";
import { Execution, type ExecutionParts } from "./execution.ts";
import { outputText } from "./output-text.ts";
import { ShellReserve } from "./shell-reserve.ts";

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
  /** Told when a family lives and when it is gone, so that the next start can clean up after us. */
  readonly onFamily?: (family: Family, isLive: boolean) => void;
}

/** Starts commands with their owner mark and follows their families until nothing is left of them. */
export class CommandLauncher implements Disposable {
  readonly #parts: LauncherParts;
  readonly #reserve: ShellReserve;
  readonly #live = new Map<Execution, Family>();
  readonly #confinements = new Map<Execution, Confinement>();
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
    const { shell } = this.#parts;
    // A shell that waits ready was started without bounds, and cannot be given any.
    const isFree = spec.confinement === undefined;
    const ready = isFree ? this.#reserve.take(spec.commandText, spec.cwd, env) : undefined;
    if (ready !== undefined) {
      const execution = this.#execution(spec);
      ready.setSink(execution.onOutput);
      return this.#follow(execution, ready.command, ready.mark, spec);
    }
    const script = scriptFor(shell, spec.commandText);
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
    const command = startCommand({
      argv: limited(confinement?.wrap(argv) ?? argv, mark),
      cwd: spec.cwd,
      env: { ...env, ...confinement?.env, PWD: spec.cwd, [ownerVariable]: mark },
      onOutput: execution.onOutput,
      data: confinement?.data ?? spec.data,
    });
    this.#parts.orphanage.addDirectChild(command.pid);
    return this.#follow(execution, command, mark, spec);
  }

  /** Resolves when all resources of ended commands are removed. */
  async released(): Promise<void> {
    await Promise.all(this.#releasing);
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
    const { orphanage, guardian } = this.#parts;
    const { confinement } = spec;
    const isOverseen = confinement?.isOverseen ?? false;
    const family: Family = { groupId: command.pid, mark, isOverseen };
    if (confinement !== undefined) this.#confinements.set(execution, confinement);
    orphanage.add(family);
    guardian.start();
    guardian.add(command.pid);
    this.#live.set(execution, family);
    this.#parts.onFamily?.(family, true);
    execution.attach(command, family, spec.timeoutMs);
    void command.ended.then(() => orphanage.removeDirectChild(command.pid));
    return execution;
  }

  /** A value of the owner variable for one more command; also for children that are started elsewhere. */
  nextMark(): string {
    return ownerMark(this.#parts.instanceId, ++this.#commandNumber);
  }

  #onGone(execution: Execution): void {
    const family = this.#live.get(execution);
    if (family === undefined) return;
    this.#live.delete(execution);
    this.#parts.orphanage.remove(family);
    this.#parts.guardian.remove(family.groupId);
    this.#parts.onFamily?.(family, false);
    this.#release(execution);
  }

  #release(execution: Execution): void {
    const released = this.#confinements.get(execution)?.release();
    if (released === undefined) return;
    this.#confinements.delete(execution);
    this.#releasing.add(released);
    void released.then(() => this.#releasing.delete(released));
  }
}

function scriptFor(shell: Shell, commandText: string): { args: string[]; file?: string } {
  if (
    commandText.length * 3 < argumentBytesMax ||
    Buffer.byteLength(commandText) < argumentBytesMax
  ) {
    return { args: [...shell.args, shell.prefix + commandText] };
  }
  const extension = shell.args.includes("-Command") ? ".ps1" : ".sh";
  const file = join(tmpdir(), `scorpiox-${randomBytes(8).toString("hex")}${extension}`);
  writeFileSync(file, shell.prefix + commandText, { mode: 0o600, flag: "wx" });
  return { args: extension === ".ps1" ? ["-NoProfile", "-File", file] : [file], file };
}

function removeAtEnd(file: string, ended: Promise<unknown>): void {
  void ended.then(() => unlink(file).catch(() => {}));
}

interface CommandEnvironmentParts {
  readonly launcher: CommandLauncher;
  /** The server's own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly user: { readonly name: string; readonly homeDir: string; readonly shell: string | null };
}

/** The most that start-up files of a shell may print besides the environment. */
const loginOutputCharsMax = 256 * 1024;

/** The environment of commands. The login shell is asked for its PATH once, when it is first needed. */
export class CommandEnvironment {
  readonly #parts: CommandEnvironmentParts;
  #environment: Promise<Readonly<Record<string, string>>> | undefined;

  constructor(parts: CommandEnvironmentParts) {
    this.#parts = parts;
  }

  readonly get = (): Promise<Readonly<Record<string, string>>> => {
    this.#environment ??= this.#read();
    return this.#environment;
  };

  async #read(): Promise<Readonly<Record<string, string>>> {
    const { env, user } = this.#parts;
    const { platform } = process;
    const shell = env["SHELL"] ?? user.shell;
    const hasLogin = platform !== "win32" && shell !== null && shell !== "";
    const loginPath = hasLogin ? await readLoginPath(shell, this.#run) : undefined;
    return childEnvironment({ env, user, loginPath, platform });
  }

  readonly #run: RunProgram = async (argv, timeoutMs) => {
    const { launcher, env, user } = this.#parts;
    const base = childEnvironment({ env, user, loginPath: undefined, platform: process.platform });
    const spec = { commandText: "login shell", cwd: user.homeDir, timeoutMs };
    try {
      const execution = launcher.launchProgram(argv, spec, base);
      // Start-up files that never end are killed, with all processes that they leave behind.
      await Promise.race([execution.ended, Bun.sleep(loginShellMsMax + terminateGraceMs)]);
      const shown = outputText(execution.output, loginOutputCharsMax);
      const output = shown.kind === "whole" ? shown.text : shown.head + shown.tail;
      return { output, exit: execution.exit ?? { exitCode: null, signal: null } };
    } catch {
      return { output: "", exit: { exitCode: null, signal: null } };
    }
  };
}
