import {
  type RunningCommand,
  type CommandExit,
  startCommand,
} from "../../../src/commands/process/command.ts";

export const plainEnv = { PATH: "/usr/local/bin:/usr/bin:/bin" };

export interface CollectedRun {
  readonly output: string;
  readonly bytes: number;
  readonly exit: CommandExit;
}

/** Runs a shell command to its end and gives all that it printed. */
export async function runToEnd(script: string): Promise<CollectedRun> {
  const chunks: Uint8Array[] = [];
  const command: RunningCommand = startCommand({
    argv: ["/bin/sh", "-c", script],
    cwd: "/",
    env: plainEnv,
    onOutput: (chunk) => void chunks.push(chunk.slice()),
  });
  const exit = await command.ended;
  const whole = Buffer.concat(chunks);
  return { output: whole.toString(), bytes: whole.length, exit };
}
