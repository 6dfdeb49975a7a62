/** How a program ended that was run to its end. */
export interface Ran {
  readonly code: number;
  /** Standard output, then standard error. */
  readonly text: string;
  readonly ms: number;
}

const programMsMax = 180_000;

/** Runs a program without input; one that takes longer than `msMax`, three minutes by default, is killed. */
export async function runProgram(
  words: readonly string[],
  env: Record<string, string>,
  cwd: string,
  msMax = programMsMax,
): Promise<Ran> {
  const startedAt = performance.now();
  const child = Bun.spawn([...words], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: msMax,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const code = await child.exited;
  return { code, text: `${stdout}${stderr}`, ms: performance.now() - startedAt };
}
