import { statSync } from "node:fs";
import { basename } from "node:path";

import { hasProcessLimit } from "../process/command-limits.ts";
import { startWaitingCommand, type WaitingCommand } from "../process/command.ts";
import type { Orphanage } from "../process/orphanage.ts";
import type { OutputReceiver } from "../process/output-pipe.ts";
import { ownerVariable } from "../process/processes.ts";
import type { Shell } from "../process/shell.ts";

interface ShellReserveParts {
  readonly shell: Shell;
  readonly orphanage: Orphanage;
  /** The owner mark of the next child. */
  readonly nextMark: () => string;
}

/** A shell that has been started for one command and has not got it yet. */
interface ReadyShell {
  readonly command: WaitingCommand;
  readonly mark: string;
  readonly cwd: string;
  /** Identity of the folder: one that was removed and made again is another. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  setSink(sink: OutputReceiver): void;
}

/** Enough that two commands in a row find one; more would only hold memory. */
const readyShellsMax = 2;
/** bash reads descriptor 3 a byte at a time: a longer command is quicker without. */
const commandCharsMax = 1_000;
/** The reserve is filled up when no command was started, or has ended, for this long. */
const refillAfterMs = 1;
/** While a command runs and a shell is ready for the next one, that is put off: starting shells holds the main thread. */
const refillBesideMs = 20;
/** Nobody has run a command for this long: the reserve is given up. */
const idleMsMax = 60_000;

/**
 * Takes its command from descriptor 3, which is gone when that runs, into the variable that has it under `bash -c` too:
 * nothing needs to be added to the command, and errors in it name its own text and lines.
 */
const waitForCommand =
  'IFS= read -r -d "" BASH_EXECUTION_STRING <&3; exec 3<&-; eval "$BASH_EXECUTION_STRING"';

/**
 * Shells that are started ahead, one for each coming command: starting bash is three quarters of the
 * time of a short command. Each runs one command and ends, so that nothing is shared between commands.
 */
export class ShellReserve implements Disposable {
  readonly #parts: ShellReserveParts;
  readonly #ready: ReadyShell[] = [];
  /** Shells that have been let go and still run. */
  readonly #leaving = new Set<Promise<unknown>>();
  #refillTimer: ReturnType<typeof setTimeout> | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(parts: ShellReserveParts) {
    this.#parts = parts;
  }

  /**
   * A shell that now runs `commandText`, or undefined when there is none that fits.
   * @throws AppError `system` when none can be started
   */
  take(
    commandText: string,
    cwd: string,
    env: Readonly<Record<string, string>>,
  ): ReadyShell | undefined {
    if (this.#isClosed || basename(this.#parts.shell.path) !== "bash") return undefined;
    const ready = this.#takeReady(commandText, cwd, env);
    this.#refillLater(cwd, env, this.#ready.length === 0 ? refillAfterMs : refillBesideMs);
    if (ready !== undefined || commandText.length > commandCharsMax) return ready;
    // One that waits gets its limit before its command, and needs no other program for it.
    const own = hasProcessLimit() ? this.#startOne(cwd, env) : undefined;
    return own?.command.release(`${commandText}\0`) === true ? own : undefined;
  }

  #takeReady(
    commandText: string,
    cwd: string,
    env: Readonly<Record<string, string>>,
  ): ReadyShell | undefined {
    if (commandText.length > commandCharsMax) return undefined;
    const folder = folderIdentity(cwd);
    for (let shell = this.#ready.shift(); shell !== undefined; shell = this.#ready.shift()) {
      const fits = shell.cwd === cwd && shell.env === env && shell.folder === folder;
      if (fits && shell.command.release(`${commandText}\0`)) {
        void shell.command.ended.then(() => this.#refillLater(cwd, env, refillAfterMs));
        return shell;
      }
      if (!fits) this.#dismiss(shell);
    }
    return undefined;
  }

  /** Resolves when every shell that was let go has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#leaving);
  }

  /** Lets all waiting shells go. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearTimeout(this.#refillTimer);
    this.#dismissAll();
  }

  #refillLater(cwd: string, env: Readonly<Record<string, string>>, afterMs: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#refillTimer);
    this.#refillTimer = setTimeout(() => this.#refill(cwd, env), afterMs);
    this.#refillTimer.unref();
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#dismissAll(), idleMsMax);
    this.#idleTimer.unref();
  }

  #refill(cwd: string, env: Readonly<Record<string, string>>): void {
    try {
      while (!this.#isClosed && this.#ready.length < readyShellsMax) {
        const shell = this.#startOne(cwd, env);
        if (shell === undefined) return;
        this.#ready.push(shell);
      }
    } catch {
      // Without a reserve, commands are started when they come, and report their own errors.
    }
  }

  #startOne(cwd: string, env: Readonly<Record<string, string>>): ReadyShell | undefined {
    const { shell, orphanage, nextMark } = this.#parts;
    const mark = nextMark();
    let sink: OutputReceiver = () => {};
    const command = startWaitingCommand({
      argv: [shell.path, "-c", waitForCommand],
      cwd,
      env: { ...env, PWD: cwd, [ownerVariable]: mark },
      onOutput: (chunk) => sink(chunk),
    });
    if (command === undefined) return undefined;
    orphanage.addDirectChild(command.pid);
    const setSink = (next: OutputReceiver): void => {
      sink = next;
    };
    const ready = { command, mark, cwd, folder: folderIdentity(cwd), env, setSink };
    void command.ended.then(() => this.#onEnd(ready));
    return ready;
  }

  /** One that ended while it waited is no longer there to be taken. */
  #onEnd(shell: ReadyShell): void {
    const place = this.#ready.indexOf(shell);
    if (place !== -1) {
      this.#ready.splice(place, 1);
      shell.command.dismiss();
    }
    this.#parts.orphanage.removeDirectChild(shell.command.pid);
  }

  #dismissAll(): void {
    for (const shell of this.#ready.splice(0)) this.#dismiss(shell);
  }

  #dismiss({ command }: ReadyShell): void {
    command.dismiss();
    this.#leaving.add(command.ended);
    void command.ended.then(() => this.#leaving.delete(command.ended));
  }
}

function folderIdentity(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return "";
  }
}
