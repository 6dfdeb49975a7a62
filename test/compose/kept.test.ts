import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { ownValue } from "../../src/base/values.ts";
import type { ClientContext } from "../../src/calls/call.ts";
import { ServerKept, type ServerKeptParts } from "../../src/compose/kept.ts";
import { keptFolderIn, workspaceKeyOf } from "../../src/hub/kept/kept-place.ts";
import { until } from "../commands/process/until.ts";
import { TempTree } from "../config/temp-tree.ts";

test("ServerKept.mayHave: no task without a folder of the workspace", async () => {
  using tree = new TempTree();
  const scorpioxDir = tree.path("home");
  const settings = { hub: { persists: undefined } };
  const parts = { start: { dirs: { scorpioxDir }, config: { settings } } };
  using kept = new ServerKept(ownValue<ServerKeptParts>(parts));
  using overHttp = new ServerKept(ownValue<ServerKeptParts>({ ...parts, ownUrl: "http://h/mcp" }));
  const here = tree.path("here");
  const [at, elsewhere, unknown] = [here, tree.path("elsewhere"), undefined].map((folder) =>
    ownValue<ClientContext>({ workspaceKnown: () => folder }),
  );
  const answers = (): boolean[] =>
    [at, elsewhere, unknown].flatMap((client) =>
      client === undefined ? [] : kept.mayHave(client),
    );
  expect(answers()).toEqual([false, false, false]);
  const key = workspaceKeyOf({ workspace: here, owner: "" });
  mkdirSync(join(keptFolderIn(scorpioxDir), key), { recursive: true });
  // Another client's first task: this one looks again after a while.
  await until(() => answers()[0] === true);
  expect(answers()).toEqual([true, false, true]);
  expect(at !== undefined && overHttp.mayHave(at)).toBe(false);
});
