import { AppError } from "../base/errors.ts";
import { secretBytesMax } from "../base/upstream-limits.ts";
import { type CommandIo, orInterrupted } from "./command-io.ts";

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

/** A longer line is not an answer to a yes-or-no question. */
const lineCharsMax = 100;

/**
 * Asks the person at the terminal one question after the other; only the lines `y` and `yes` mean yes. Rejects with
 * `cancelled` on Ctrl-C.
 */
export function createAsker(io: CommandIo): (question: string) => Promise<boolean> {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  const decoder = new TextDecoder();
  let text = "";
  return async (question) => {
    // Piped input is read once: by one iterator, whose rest is for the next question.
    chunks ??= io.stdin[Symbol.asyncIterator]();
    io.stderr.write(`${question} [y/N] `);
    while (!text.includes("\n") && text.length <= lineCharsMax) {
      const { value, done } = await orInterrupted(chunks.next(), io.interrupted);
      if (done === true) break;
      text += decoder.decode(value, { stream: true });
    }
    const end = text.indexOf("\n");
    const line = end === -1 ? text : text.slice(0, end);
    text = end === -1 ? "" : text.slice(end + 1);
    return /^\s*y(?:es)?\s*$/i.test(line);
  };
}

/**
 * All bytes of `input`. `name` is the word for it in messages.
 * @throws {AppError} `limit` above `bytesMax` bytes.
 */
export async function readAll(
  input: AsyncIterable<Uint8Array>,
  bytesMax: number,
  name: string,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of input) {
    length += chunk.length;
    if (length > bytesMax) {
      throw new AppError("limit", `${name} is longer than ${bytesMax} bytes, the limit.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * A secret from the terminal, without echo, or all of stdin without the line break at its end.
 * @throws AppError `usage` when it is empty, `cancelled` on Ctrl-C, `limit`
 */
export async function readSecret(io: CommandIo, name: string): Promise<string> {
  const text = io.stdinIsTerminal
    ? await readHidden(io, `Secret ${name} (it is not shown): `)
    : new TextDecoder().decode(await readAll(io.stdin, secretBytesMax, "The secret"));
  const secret = text.replace(/\r?\n$/, "");
  if (secret === "")
    throw new AppError("usage", "The secret must not be empty. Nothing was stored.");
  return secret;
}

const keys = { interrupt: "\u0003", end: "\u0004", erase: "\u0015" } as const;

async function readHidden(io: CommandIo, prompt: string): Promise<string> {
  const { stdin } = process;
  const giveBack = (): void => void stdin.setRawMode(false);
  process.once("exit", giveBack);
  io.stderr.write(prompt);
  stdin.setRawMode(true);
  try {
    return await typedLine(stdin);
  } finally {
    giveBack();
    process.off("exit", giveBack);
    stdin.pause();
    io.stderr.write("\n");
  }
}

async function typedLine(stdin: NodeJS.ReadStream): Promise<string> {
  let line = "";
  const decoder = new TextDecoder();
  for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    // Arrows and the marks around pasted text do not belong to a secret.
    // eslint-disable-next-line no-control-regex -- naming control characters is the purpose
    for (const key of text.replaceAll(/\u001b\[[0-9;]*[A-Za-z~]/g, "")) {
      if (key === keys.interrupt) throw new AppError("cancelled", "Nothing was stored.");
      if (key === "\r" || key === "\n" || key === keys.end) return line;
      if (key === keys.erase) line = "";
      else if (key === "\u007f" || key === "\b") line = Array.from(line).slice(0, -1).join("");
      else line += key;
    }
  }
  return line;
}
