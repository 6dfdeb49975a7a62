import { AppError, messageOf } from "../../base/errors.ts";
import { secretCommandBytesMax, secretCommandMsMax } from "../../base/upstream-limits.ts";
import { findShell } from "../../process/shell.ts";

export interface SecretCommandParts {
  /** The command gets all of it but our own settings: it is the user's, and may need an agent or a session bus. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/**
 * Runs the command of `${cmd:…}` in the user's shell and gives what it writes to stdout. Its stdin is empty; what it
 * writes to stderr is in no message, since it may have the secret in it.
 * @throws AppError `system`: it failed, took too long or wrote too much
 */
export async function runSecretCommand(
  command: string,
  { env, cwd }: SecretCommandParts,
): Promise<string> {
  const { path, args } = findShell({
    shellPath: env["SHELL_PATH"],
    env,
    platform: process.platform,
  });
  const child = start([path, ...args, command], cwd, env);
  const late = setTimeout(() => kill(child), secretCommandMsMax);
  try {
    const output = await readBounded(child);
    const exitCode = await child.exited;
    if (child.signalCode !== null) {
      throw new AppError("system", `it was ended after ${secretCommandMsMax / 1000} s`);
    }
    if (exitCode !== 0) throw new AppError("system", `it ended with exit code ${exitCode}`);
    return output;
  } finally {
    clearTimeout(late);
    kill(child);
  }
}

type Child = Bun.Subprocess<"ignore", "pipe", "ignore">;

function start(argv: readonly string[], cwd: string, env: SecretCommandParts["env"]): Child {
  const ownless = Object.entries(env).filter(([name]) => !name.startsWith("SCORPIOX_"));
  try {
    return Bun.spawn([...argv], {
      cwd,
      env: Object.fromEntries(ownless),
      stdio: ["ignore", "pipe", "ignore"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
  } catch (error) {
    throw new AppError("system", `it cannot be started: ${messageOf(error)}`);
  }
}

async function readBounded(child: Child): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of child.stdout) {
    bytes += chunk.byteLength;
    if (bytes > secretCommandBytesMax) {
      throw new AppError("limit", `it writes more than ${secretCommandBytesMax} bytes`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** With all that it has started; what has ended already is no fault. */
function kill(child: Child): void {
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
}
