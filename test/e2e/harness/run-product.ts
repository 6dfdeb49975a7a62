import { ensureBuilt, productBinary } from "./binary.ts";
import { testEnvironment } from "./server.ts";
import type { TempFolder } from "./temp-folder.ts";

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Added to the small environment of a test. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: ReadableStream | Blob;
  /** Absent: the folder `project` of the home, made when it is not there. */
  readonly cwd?: string;
}

/** Runs a command of the executable to its end, which comes within 20 s. */
export async function runProduct(
  home: TempFolder,
  words: readonly string[],
  { env, stdin = new Blob([]), cwd = home.folder("project") }: RunOptions = {},
): Promise<Ended> {
  ensureBuilt(productBinary);
  const child = Bun.spawn([productBinary, ...words], {
    cwd,
    env: { ...testEnvironment(home.path), ...env },
    stdio: [stdin, "pipe", "pipe"],
    timeout: 20_000,
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, stdout, stderr };
}
