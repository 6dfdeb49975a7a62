import { loginShellMsMax, terminateGraceMs } from "../../base/limits.ts";
import type { Environment } from "../../base/values.ts";
import { childEnvironment, readLoginPath, type RunProgram } from "../process/shell.ts";
import type { CommandLauncher } from "./command-launcher.ts";
import { outputText } from "./output-store.ts";

interface CommandEnvironmentParts {
  readonly launcher: CommandLauncher;
  /** The server's own environment. */
  readonly env: Environment;
  readonly user: { readonly name: string; readonly homeDir: string; readonly shell: string | null };
}

/** The most that start-up files of a shell may print besides the environment. */
const loginOutputCharsMax = 256 * 1024;

/** PATH before start-up files of a shell have added to it. */
const systemPath = "/usr/local/bin:/usr/bin:/bin";

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

  /** PATH of the login shell alone, with nothing of this process's own; undefined when the shell does not say. */
  plainLoginPath(): Promise<string | undefined> {
    return this.#loginPath({ ...this.#parts.env, PATH: systemPath });
  }

  async #read(): Promise<Readonly<Record<string, string>>> {
    const { env, user } = this.#parts;
    const loginPath = await this.#loginPath(env);
    return childEnvironment({ env, user, loginPath, platform: process.platform });
  }

  async #loginPath(env: Environment): Promise<string | undefined> {
    const shell = env["SHELL"] ?? this.#parts.user.shell;
    const hasLogin = process.platform !== "win32" && shell !== null && shell !== "";
    return hasLogin ? readLoginPath(shell, (...program) => this.#run(env, ...program)) : undefined;
  }

  async #run(
    env: Environment,
    ...[argv, timeoutMs]: Parameters<RunProgram>
  ): ReturnType<RunProgram> {
    const { launcher, user } = this.#parts;
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
  }
}
