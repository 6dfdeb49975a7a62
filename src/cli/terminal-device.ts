import { AppError } from "../base/errors.ts";
import type { CommandIo } from "./command-io.ts";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The size of a window that does not report one. */
const usualSize: TerminalSize = { columns: 80, rows: 24 };

/** The other screen, no cursor, no line that wraps by itself, pasted text in brackets. */
const enterScreen = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[H\u001b[2J";
const leaveScreen = "\u001b[?2026l\u001b[?2004l\u001b[?7h\u001b[0m\u001b[?25h\u001b[?1049l";

/**
 * The terminal of this process, for a command that takes the whole window.
 * @throws AppError `usage` where there is none that could be drawn on
 */
export function openTerminal(io: CommandIo, commandName: string): TerminalDevice {
  const { TERM = "" } = io.env;
  if (!io.stdinIsTerminal || !io.stdout.isTerminal) {
    throw new AppError(
      "usage",
      `${commandName} needs a terminal for keys and drawing. Run it in one.`,
    );
  }
  if (TERM === "dumb" || (TERM === "" && process.platform !== "win32")) {
    throw new AppError(
      "usage",
      `${commandName} cannot draw on this terminal (TERM=${TERM}). Use another terminal, or set TERM to its type.`,
    );
  }
  return new TerminalDevice(io);
}

/** A terminal in raw mode. It is restored however the process ends. */
export class TerminalDevice {
  readonly #io: CommandIo;
  #isTaken = false;

  constructor(io: CommandIo) {
    this.#io = io;
    process.on("exit", () => this.giveBack());
  }

  size(): TerminalSize {
    const [columns, rows] = process.stdout.getWindowSize();
    // A window of no size is one that is not shown yet.
    return columns > 0 && rows > 0 ? { columns, rows } : usualSize;
  }

  write(text: string): void {
    if (this.#isTaken) this.#io.stdout.write(text);
  }

  onInput(listener: (chunk: Uint8Array) => void): void {
    process.stdin.on("data", (chunk: Uint8Array | string) =>
      listener(typeof chunk === "string" ? Buffer.from(chunk) : chunk),
    );
  }

  onResize(listener: () => void): void {
    process.stdout.on("resize", listener);
  }

  /** The window was closed. */
  onHangUp(listener: () => void): void {
    process.stdin.on("end", listener);
    process.stdin.on("error", listener);
  }

  take(): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    process.stdin.setRawMode(true);
    process.stdin.resume();
    this.#io.stdout.write(enterScreen);
  }

  /** Idempotent. */
  giveBack(): void {
    if (!this.#isTaken) return;
    this.#io.stdout.write(leaveScreen);
    this.#isTaken = false;
    try {
      process.stdin.setRawMode(false);
    } catch {
      // The window is gone, and with it its mode.
    }
    process.stdin.pause();
  }
}
