import { AppError } from "../base/errors.ts";
import { secretBytesMax } from "../base/upstream-limits.ts";
import type { CommandIo } from "./command-io.ts";
import { readAll } from "./read-all.ts";

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
    // Arrows and the marks around what is pasted are no part of a secret.
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
