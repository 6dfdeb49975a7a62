import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ClientContext } from "../../src/calls/call.ts";
import { scopeNow, scopeOf } from "../../src/calls/state-calls.ts";
import { eventually } from "../e2e/harness/conditions.ts";

const limits = { resultCharsMax: 1_000, answerMs: 1_000 };
const clientIn = (folder: string): ClientContext => ({
  id: "c",
  limits,
  workspaceDir: () => Promise.resolve(folder),
});

test("scopeOf(): the folder that a link leads to, and after a while the one that it leads to now", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "scorpiox-scope-")));
  const [link, first, second] = [join(root, "link"), join(root, "first"), join(root, "second")];
  for (const folder of [first, second]) mkdirSync(folder);
  symlinkSync(first, link, "dir");
  expect(await scopeOf(clientIn(link))).toEqual({ workspace: first, owner: "" });
  rmSync(link);
  symlinkSync(second, link, "dir");
  await eventually("the link is followed", async () => {
    const { workspace } = await scopeOf(clientIn(link));
    return workspace === second;
  });
  rmSync(root, { recursive: true });
});

test.each<[what: string, known: Partial<ClientContext>, workspace: string | undefined]>([
  ["is known", { workspaceKnown: () => "/gone" }, "/gone"],
  ["has a name", { workspaceName: "w" }, "w"],
  ["must be asked for", { workspaceKnown: () => undefined }, undefined],
  ["may have to be asked for", {}, undefined],
  ["is no absolute path", { workspaceKnown: () => "gone" }, undefined],
])("scopeNow(): a workspace that %s", (_, known, workspace) => {
  const scope = scopeNow({ ...clientIn("/elsewhere"), ...known });
  expect(scope).toEqual(workspace === undefined ? undefined : { workspace, owner: "" });
});

test("scopeOf(): a folder that is gone, and a workspace with a name", async () => {
  const gone = join(tmpdir(), "scorpiox-scope-gone");
  expect(await scopeOf(clientIn(gone))).toEqual({ workspace: gone, owner: "" });
  const named = { ...clientIn(gone), workspaceName: "w", owner: "o" };
  expect(await scopeOf(named)).toEqual({ workspace: "w", owner: "o" });
});
