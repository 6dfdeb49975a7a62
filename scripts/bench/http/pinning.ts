import os from "node:os";

/** The server has a core for itself and the load generator another one, so that they do not take each other's time. */
const cores = { server: 0, load: 1 } as const;

/** Words before a command that keep it on its core; none where that cannot be done. */
export function pinTo(role: keyof typeof cores): readonly string[] {
  if (os.availableParallelism() < 2 || Bun.which("taskset") === null) return [];
  return ["taskset", "-c", String(cores[role])];
}
