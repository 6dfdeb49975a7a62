import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { until } from "../connect/open-scripted.ts";
import { openPlace, type Opened, type Place } from "./open-work.ts";

const script = { tools: ["echo"] };
const changes = [
  ["sampling", "ask"],
  ["elicitation", "deny"],
  ["roots", "none"],
] as const;

/** Connected, and what it offers is kept. */
async function met(place: Place): Promise<Opened> {
  await place.configure({ one: { script } });
  const opened = place.open();
  await opened.work.start();
  await opened.reach("one", "ready");
  const folder = join(place.home, ".scorpiox", "cache", "mcp");
  await until(() => readdirSync(folder).some((name) => name.endsWith(".json")));
  return opened;
}

test.each(changes)(
  "with another %s in its entry a server is asked anew at the next start",
  async (key, value) => {
    await using place = await openPlace();
    await (await met(place)).work[Symbol.asyncDispose]();
    const same = place.open();
    await same.work.start();
    expect([same.info("one")?.state, same.processes.length]).toEqual(["cached", 0]);
    await same.work[Symbol.asyncDispose]();
    await place.configure({ one: { script, [key]: value } });
    const changed = place.open();
    await changed.work.start();
    expect(changed.info("one")?.state).toBe("starting");
    await changed.reach("one", "ready");
  },
);

test.each(changes)(
  "with another %s in its entry a running server is asked anew",
  async (key, value) => {
    await using place = await openPlace();
    const opened = await met(place);
    await place.configure({ one: { script, [key]: value } });
    await until(() => opened.processes.length === 2);
    await opened.reach("one", "ready");
    await until(() => opened.snapshot().tools.length === 1);
  },
);
