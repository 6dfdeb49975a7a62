import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { ensureBuilt, productBinary, root } from "./harness/binary.ts";
import { testMsMax } from "./harness/platform.ts";
import { factsMissing } from "./harness/seen-facts.ts";
import { seenBy } from "./harness/seen-by.ts";
import { play, scenes, type Situation } from "./harness/seen-scenes.ts";
import { shortened } from "./harness/stable-result.ts";

setDefaultTimeout(testMsMax);

const played = new Map<string, readonly Situation[]>();
beforeAll(async () => {
  ensureBuilt(productBinary);
  await Promise.all(scenes.map(async (scene) => played.set(scene.name, await play(scene))));
});

describe.each(scenes.map(({ name }) => [name]))("%s", (name) => {
  const situations = (): readonly Situation[] => played.get(name) ?? [];

  test("[result.seen] what each model gets: the golden file", () => {
    const file = join(root, "test/golden/seen", `${name.replaceAll(" ", "-")}.txt`);
    const page = situations().map(entry).join("\n");
    // Without a sandbox plan mode has other things to say.
    if (name === "plan mode" && !page.includes("(SANDBOX)")) return;
    if (process.env["UPDATE_GOLDEN"] === "1") {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, page);
    }
    expect(page).toBe(existsSync(file) ? readFileSync(file, "utf8") : "");
  });

  test("[result.seen] no fact stands in one form alone", () => {
    const missing = situations().flatMap(({ title, result }) =>
      factsMissing(result, !title.startsWith("mcp__")).map((fact) => `${title}: ${fact}`),
    );
    expect(missing).toEqual([]);
  });
});

test("about a hundred situations, every tool among them", () => {
  const all = [...played.values()].flat();
  expect(all.length).toBeGreaterThan(100);
  const tools = new Set(all.map(({ title }) => title.split(":")[0]));
  expect(tools.size).toBeGreaterThan(20);
});

/** A situation as the golden file has it: models that get the same stand together. */
function entry({ title, result }: Situation): string {
  const groups = Map.groupBy(seenBy, (client) => shortened(client.render(result)));
  const parts = [...groups].map(([text, clients]) => {
    const who = groups.size === 1 ? "every model" : clients.map(({ id }) => id).join(", ");
    return `-- ${who}\n${text}\n`;
  });
  return `== ${title}${result.isError === true ? " (isError)" : ""}\n${parts.join("")}`;
}
