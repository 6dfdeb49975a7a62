import { parse } from "node:path";

import type { Orphanage } from "./orphanage.ts";

/**
 * Starts a program that is handed to the user, such as their browser: it leads a session of its own, and it and what it
 * starts live on when the server ends. Nothing that it prints is read.
 * @returns its exit code when it ends; null when it could not be started or was killed
 */
export async function startUserProgram(
  argv: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  orphanage: Orphanage,
): Promise<number | null> {
  try {
    const child = Bun.spawn([...argv], {
      cwd: parse(process.execPath).root,
      env: { ...env, ...orphanage.handOverVariable() },
      stdio: ["ignore", "ignore", "ignore"],
      detached: true,
      windowsHide: true,
    });
    orphanage.addDirectChild(child.pid);
    child.unref();
    const exitCode = await child.exited;
    orphanage.removeDirectChild(child.pid);
    return child.signalCode === null ? exitCode : null;
  } catch {
    return null;
  }
}
