import { fstatSync, writeSync } from "node:fs";
import { dirname } from "node:path";

import { systemCodeOf } from "../base/errors.ts";
import type { CommandIo, TextOutput } from "./command-io.ts";

/** How long to wait before a full pipe is tried again. */
const fullPipeWaitMs = 2;

/**
 * The `CommandIo` of this process with the given overrides. Nothing is touched before it is read: `process.stdin` and
 * `process.stdout` belong to the transport, and making them costs more than the rest of a start.
 */
export function createProcessIo({
  machineDir,
  startedByServer,
}: Pick<CommandIo, "machineDir" | "startedByServer"> = {}): CommandIo {
  const homeDir = process.env.HOME || process.getBuiltinModule("node:os").homedir();
  let interrupt: AbortController | undefined;
  return {
    env: process.env,
    get cwd() {
      return currentDir(homeDir);
    },
    homeDir,
    executableDir: dirname(process.execPath),
    machineDir,
    startedByServer,
    get stdinIsTerminal() {
      return isTerminal(0);
    },
    get stdin() {
      return Bun.stdin.stream();
    },
    stdout: createOutput(1),
    stderr: createOutput(2),
    get interrupted() {
      interrupt ??= abortOnInterrupt();
      return interrupt.signal;
    },
    get wasInterrupted() {
      return interrupt?.signal.aborted === true;
    },
  };
}

function currentDir(homeDir: string): string {
  try {
    return process.cwd();
  } catch {
    // The directory was removed while it was a shell's current one.
    return homeDir;
  }
}

function isTerminal(descriptor: number): boolean {
  try {
    // `node:tty` takes 2 ms to load, which a start on pipes need not pay.
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
    return process.getBuiltinModule("node:tty").isatty(descriptor);
  } catch {
    // Closed by the parent process.
    return false;
  }
}

function createOutput(descriptor: number): TextOutput {
  return {
    get columns() {
      if (!isTerminal(descriptor)) return undefined;
      const { columns } = descriptor === 1 ? process.stdout : process.stderr;
      return columns > 0 ? columns : undefined;
    },
    get isTerminal() {
      return isTerminal(descriptor);
    },
    write(text) {
      writeAll(descriptor, new TextEncoder().encode(text));
    },
  };
}

/** Synchronous, so that the process may end right after: streams would have to be drained first. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  let offset = 0;
  while (offset < bytes.length) {
    try {
      offset += writeSync(descriptor, bytes, offset);
    } catch (error) {
      const code = systemCodeOf(error);
      // `scorpiox-code tools | head`: the reader has seen enough.
      if (code === "EPIPE" || code === "EBADF") return;
      if (code !== "EAGAIN") throw error;
      Bun.sleepSync(fullPipeWaitMs);
    }
  }
}

function abortOnInterrupt(): AbortController {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort());
  return controller;
}
