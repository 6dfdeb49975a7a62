import { AppError, messageOf } from "../base/errors.ts";
import type { CommandEnd } from "../install/client-command.ts";
import { outputOf } from "./child-output.ts";

/** A client's own command takes a second or two; some start a runtime first. */
const programMsMax = 60_000;
/** More than any says. */
const outputCharsMax = 100_000;

/**
 * Runs a program of the user's and waits for its end, not for processes that outlive it. It gets no input, and is ended
 * after a minute.
 * @throws {AppError} `system` when it cannot be started
 */
export async function runClientProgram(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<CommandEnd> {
  try {
    const child = Bun.spawn([...words], {
      env: { ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: programMsMax,
      killSignal: "SIGKILL",
      windowsHide: true,
    });
    const [stdout, stderr] = await Promise.all([
      outputOf(child, child.stdout, outputCharsMax),
      outputOf(child, child.stderr, outputCharsMax),
    ]);
    const exitCode = await child.exited;
    return { exitCode, output: `${stdout}${stderr}`.slice(0, outputCharsMax) };
  } catch (error) {
    throw new AppError("system", `${words[0] ?? ""} cannot be started: ${messageOf(error)}`);
  }
}
