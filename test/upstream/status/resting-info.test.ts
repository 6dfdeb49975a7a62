import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { CatalogueCache } from "../../../src/upstream/cache/catalogue-cache.ts";
import { loadUpstreamConfig } from "../../../src/upstream/config/load-upstream-config.ts";
import { restingInfo } from "../../../src/upstream/status/resting-info.ts";
import type { ServerInfo } from "../../../src/upstream/server-state.ts";
import { TrustStore } from "../../../src/upstream/trust/trust-store.ts";
import { until } from "../connect/open-scripted.ts";
import { configText, openPlace, type Place } from "../manager/open-work.ts";

async function infosIn({ home, project }: Place): Promise<readonly ServerInfo[]> {
  const scorpioxDir = join(home, ".scorpiox");
  const dirs = { homeDir: home, scorpioxDir, executableDir: home, projectDir: project };
  const config = loadUpstreamConfig({ dirs, env: {}, configFiles: [], isStrict: false });
  const parts = {
    options: { dirs, trustsProject: false, onChange: "block" as const, toolNameMax: 44 },
    trust: new TrustStore(scorpioxDir),
    rules: () => config.rules,
    lock: () => ({ kind: "absent" as const }),
    cache: new CatalogueCache(scorpioxDir),
  };
  const servers = [...config.servers.values()];
  return Promise.all(servers.map((server) => restingInfo(server, parts)));
}

test("what does not run is known by its entry, its approval and what was kept of it", async () => {
  await using place = await openPlace();
  const met = { script: { tools: ["echo", "add"] } };
  await place.configure({ met });
  const opened = place.open();
  await opened.work.start();
  const cache = join(place.home, ".scorpiox", "cache", "mcp");
  await opened.reach("met", "ready");
  await until(() => readdirSync(cache).some((name) => name.endsWith(".json")));
  await opened.work[Symbol.asyncDispose]();
  await place.configure({
    met: { ...met, deny: ["add"] },
    off: { script: {}, disabled: true },
    // Whoever looks at the state of a server runs nothing for it.
    unmet: { command: "${cmd:touch ran}", args: ["${NOT_SET}"] },
  });
  await writeFile(join(place.project, ".mcp.json"), configText({ own: { script: {} } }));
  const infos = await infosIn(place);
  const facts = infos.map(({ name, state, tools, blocked }) => ({
    name,
    state,
    tools,
    denied: blocked.denied,
  }));
  expect(facts.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: "met", state: "cached", tools: 1, denied: 1 },
    { name: "off", state: "disabled", tools: 0, denied: 0 },
    { name: "own", state: "untrusted", tools: 0, denied: 0 },
    { name: "unmet", state: "stopped", tools: 0, denied: 0 },
  ]);
  expect(infos.find(({ name }) => name === "own")?.reason).toContain("mcp approve own");
  expect(readdirSync(place.project)).toEqual([".mcp.json"]);
});

test("an entry of the user's stands in for one of the project that waits", async () => {
  await using place = await openPlace();
  await place.configure({ own: { script: {} } });
  await writeFile(
    join(place.project, ".mcp.json"),
    configText({ own: { script: { mute: true } } }),
  );
  expect(await infosIn(place)).toMatchObject([
    { name: "own", state: "stopped", scope: "global", reason: expect.stringContaining("approve") },
  ]);
});
