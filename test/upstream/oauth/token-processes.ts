import { join } from "node:path";

import type { LoginTrial } from "./logins.ts";

/**
 * What five processes print that ask for one token at the same moment, each on a clock by which two hours have passed.
 * @param program of the fixtures for logins
 */
export async function tokensOfFive(
  program: string,
  { folder, server }: LoginTrial,
): Promise<string[]> {
  const path = join(import.meta.dir, "../../fixtures/oauth", program);
  const args = [folder, server.url, String(Date.now() + 2 * 3_600_000)];
  const children = Array.from({ length: 5 }, () =>
    Bun.spawn([process.execPath, path, ...args], { stdin: "pipe", stdout: "pipe" }),
  );
  const readers = children.map(({ stdout }) => stdout.getReader());
  for (const reader of readers) await reader.read();
  for (const child of children) void child.stdin.end();
  const tokens = await Promise.all(readers.map(async (reader) => (await reader.read()).value));
  await Promise.all(children.map(({ exited }) => exited));
  return tokens.map((token) => Buffer.from(token ?? []).toString());
}
