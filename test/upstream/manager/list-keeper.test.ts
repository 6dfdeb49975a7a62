import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import { readKeptLists } from "../../../src/upstream/cache/kept-lists.ts";
import { until } from "../connect/open-scripted.ts";
import { type Opened, openPlace, type Place } from "./open-work.ts";

const env = { PATH: process.env.PATH };

function fileIn({ home }: Place): string {
  return join(home, ".scorpiox", "lists.json");
}

function namesIn(place: Place): readonly string[] | undefined {
  return readKeptLists(fileIn(place), env)?.tools.map(({ listing }) => listing.name);
}

async function started(place: Place): Promise<Opened> {
  const opened = place.open({ keptLists: fileIn(place) });
  await opened.work.start();
  return opened;
}

test("lists are kept once they are whole, and follow the configuration [CN2]", async () => {
  await using place = await openPlace();
  await place.configure({ one: { script: { tools: ["echo", "add"] } } });
  const opened = await started(place);
  await until(() => namesIn(place)?.join() === "mcp__one__add,mcp__one__echo");
  await place.configure({ one: { script: { tools: ["echo", "add"] }, deny: ["add"] } });
  expect(namesIn(place)).toBeUndefined();
  await until(() => namesIn(place)?.join() === "mcp__one__echo");
  await opened.work[Symbol.asyncDispose]();
  expect(namesIn(place)).toEqual(["mcp__one__echo"]);
});

test("a server that is not known yet keeps none, not even those of the others", async () => {
  await using place = await openPlace();
  const one = { script: { tools: ["echo" as const] } };
  await place.configure({ one });
  await using first = await started(place);
  await until(() => namesIn(place) !== undefined);
  await first.work[Symbol.asyncDispose]();
  await rm(fileIn(place));
  await place.configure({ one, two: { command: join(place.home, "absent") } });
  await using second = await started(place);
  await second.reach("two", "failed");
  await second.work[Symbol.asyncDispose]();
  expect(namesIn(place)).toBeUndefined();
});

test("a start without changes leaves them in place", async () => {
  await using place = await openPlace();
  await place.configure({ one: { script: { tools: ["echo"] }, env: { A: "${TOKEN:-x}" } } });
  await using first = await started(place);
  await until(() => namesIn(place) !== undefined);
  await first.work[Symbol.asyncDispose]();
  await using second = await started(place);
  expect(second.snapshot().tools.map(({ name }) => name)).toEqual(["mcp__one__echo"]);
  await second.work[Symbol.asyncDispose]();
  expect(second.processes).toHaveLength(0);
  expect(namesIn(place)).toEqual(["mcp__one__echo"]);
  expect(readKeptLists(fileIn(place), { ...env, TOKEN: "t" })).toBeUndefined();
});
