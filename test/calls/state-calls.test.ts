import { expect, test } from "bun:test";
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import type { ClientContext } from "../../src/calls/call.ts";
import { scopeOf } from "../../src/calls/state-calls.ts";
import { TempFolder } from "../e2e/harness/temp-folder.ts";

test("scopeOf() follows a folder that becomes another one, and keeps the name of one that is gone", async () => {
  using folder = new TempFolder();
  const root = realpathSync(folder.path);
  const [link, first, second] = [join(root, "link"), join(root, "first"), join(root, "second")];
  const limits = { answerMs: 0, resultCharsMax: 1_000 };
  const client: ClientContext = { id: "c", limits, workspaceDir: () => Promise.resolve(link) };
  const seen = async (): Promise<string> => (await scopeOf(client)).workspace;
  for (const made of [first, second]) mkdirSync(made);
  symlinkSync(first, link);
  expect([await seen(), await seen()]).toEqual([first, first]);
  rmSync(link);
  symlinkSync(second, link);
  expect(await seen()).toBe(second);
  rmSync(link);
  expect(await seen()).toBe(link);
  mkdirSync(link);
  expect(await seen()).toBe(link);
  rmSync(link, { recursive: true });
  renameSync(first, link);
  expect(await seen()).toBe(link);
});
