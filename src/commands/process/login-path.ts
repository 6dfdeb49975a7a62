import { basename } from "node:path";

import { loginShellMsMax } from "../../base/limits.ts";
import type { CommandExit } from "./spawn-leader.ts";

/** Runs a program and gives what it printed; the owner of all children provides it. */
export type RunProgram = (
  argv: readonly string[],
  timeoutMs: number,
) => Promise<{ readonly output: string; readonly exit: CommandExit }>;

const beginMark = "--scorpiox-environment-begin--";
const endMark = "--scorpiox-environment-end--";

/**
 * PATH as the user's login shell sets it, or undefined when it cannot be learned. Interactive first, since many keep
 * their PATH in `.bashrc` or `.zshrc`; when that hangs or fails, a plain login shell. `env` prints the variable,
 * because shells differ in how they print lists, and the marks separate it from the greetings that start-up files
 * print.
 */
export async function readLoginPath(shell: string, run: RunProgram): Promise<string | undefined> {
  const script = `echo ${beginMark}; /usr/bin/env; echo ${endMark}`;
  for (const flags of loginFlags(shell)) {
    const { output } = await run([shell, ...flags, script], loginShellMsMax);
    const path = pathFrom(output);
    if (path !== undefined) return path;
  }
  return undefined;
}

function loginFlags(shell: string): string[][] {
  // These know no combined login and interactive form.
  if (["dash", "sh", "ash", "busybox"].includes(basename(shell))) return [["-l", "-c"]];
  if (["csh", "tcsh", "nu", "nologin", "false"].includes(basename(shell))) return [["-c"]];
  return [
    ["-l", "-i", "-c"],
    ["-l", "-c"],
  ];
}

function pathFrom(output: string): string | undefined {
  const begin = output.lastIndexOf(beginMark);
  const end = output.indexOf(endMark, begin);
  if (begin === -1 || end === -1) return undefined;
  const line = output
    .slice(begin, end)
    .split("\n")
    .find((candidate) => candidate.startsWith("PATH="));
  return line?.slice("PATH=".length).trim() || undefined;
}
