import { describe, expect, test } from "bun:test";
import { Cancellation } from "../../../src/base/cancellation.ts";
import { outputWindowBytes } from "../../../src/base/limits.ts";
import type { RequestContext } from "../../../src/calls/call.ts";
import { type Change, Changes } from "../../../src/calls/features.ts";
import {
  announceBackgroundTask,
  OwnResources,
} from "../../../src/calls/resources/own-resources.ts";
import { SupervisorHarness } from "../../commands/background/supervisor-harness.ts";
import { until } from "../../commands/process/until.ts";

function contextOf(id: string): RequestContext {
  const limits = { answerMs: 0, resultCharsMax: 30_000 };
  const client = { id, limits, workspaceDir: () => Promise.resolve("/") };
  return { version: "2026-07-28", client, cancellation: new Cancellation() };
}

const me = contextOf("client");
const other = contextOf("other");

/** The only text of a resource. */
async function readText(resources: OwnResources, uri: string): Promise<string | undefined> {
  const reading = await resources.read(uri, me);
  const [part] = reading?.contents ?? [];
  return part === undefined || !("text" in part) ? undefined : part.text;
}

function resourcesOf({ supervisor, savedOutputs }: SupervisorHarness): OwnResources {
  return new OwnResources({ supervisor, savedOutputs, changes: new Changes(), state: [] });
}

describe("OwnResources, background tasks", () => {
  test("are listed for their client only, and of no other can be read or watched", async () => {
    await using harness = new SupervisorHarness();
    const resources = resourcesOf(harness);
    await harness.background("echo\nmine");
    await harness.background("sleep 300", "other");
    const listing = {
      uri: "scorpiox://background/1",
      name: "background-1",
      title: "Background task 1",
      description: "echo mine",
      mimeType: "text/plain",
    };
    expect(await resources.list(me.client)).toEqual([listing]);
    await harness.background("sleep 300");
    const second = "scorpiox://background/2";
    expect((await resources.list(me.client)).map(({ uri }) => uri)).toEqual([listing.uri, second]);
    expect((await resources.list(other.client)).length).toBe(1);
    expect(await resources.read(second, other)).toBeUndefined();
    expect([me, other].map(({ client }) => resources.canSubscribe(second, client))).toEqual([
      true,
      false,
    ]);
    expect(await resources.list(contextOf("nobody").client)).toEqual([]);
  });

  test("are their state and what they have printed, without colours; reading takes nothing away", async () => {
    await using harness = new SupervisorHarness();
    const resources = resourcesOf(harness);
    const task = await harness.background("printf '\\033[31mred\\033[0m\\n'; exit 3");
    await task.execution.ended;
    const uri = "scorpiox://background/1";
    const [first, second] = [await readText(resources, uri), await readText(resources, uri)];
    expect(first).toMatch(
      /^Background task 1: failed with exit code 3 after \d+ ms\.\nCommand: printf .*; exit 3\nOutput: 13 bytes so far\.\n\nred\n$/,
    );
    expect([second, task.cursor]).toEqual([first, 0]);
  });

  test("say how much was dropped, and where", async () => {
    await using harness = new SupervisorHarness();
    const resources = resourcesOf(harness);
    const lines = Math.ceil(outputWindowBytes / 4);
    const task = await harness.background(`seq 100000 ${100_000 + lines}`);
    await task.execution.ended;
    const text = (await readText(resources, "scorpiox://background/1")) ?? "";
    const dropped = /\n\[\.\.\. ([\d,]+) bytes were dropped here \.\.\.\]\n/.exec(text);
    const droppedBytes = Number(dropped?.[1]?.replaceAll(",", ""));
    const [, output = ""] = text.split("\n\n");
    expect(output.startsWith("100000\n100001\n")).toBe(true);
    expect(output.endsWith(`\n${100_000 + lines}\n`)).toBe(true);
    const shownBytes = output.length - (dropped?.[0].length ?? 0) + 1;
    expect(shownBytes + droppedBytes).toBe(task.execution.output.end);
  });

  test.each(["scorpiox://background/2", "scorpiox://background/01", "scorpiox://results/x", "x:y"])(
    "%s is nothing",
    async (uri) => {
      await using harness = new SupervisorHarness();
      const resources = resourcesOf(harness);
      await harness.background("true");
      expect(await resources.read(uri, me)).toBeUndefined();
      expect(resources.canSubscribe(uri, me.client)).toBe(false);
    },
  );
});

describe("OwnResources, saved outputs", () => {
  test("are read by the name of their file, by their client only, and cannot be watched", async () => {
    await using harness = new SupervisorHarness();
    const resources = resourcesOf(harness);
    const saved = harness.savedOutputs.create(me.client.id);
    await saved?.append(Buffer.from("whole\n"));
    await saved?.finish();
    const id = /([^/]+)\.txt$/.exec(saved?.path ?? "")?.[1];
    const uri = `scorpiox://results/${id}`;
    expect(await readText(resources, uri)).toBe("whole\n");
    expect(await resources.read(uri, other)).toBeUndefined();
    expect(await resources.read(`${uri}/1`, other)).toBeUndefined();
    expect(resources.canSubscribe(uri, me.client)).toBe(false);
    expect(await resources.list(me.client)).toEqual([]);
  });

  test("long ones are read as their two ends, and as pages that are all of it", async () => {
    await using harness = new SupervisorHarness();
    const resources = resourcesOf(harness);
    const whole = "a line of €\n".repeat(200_000);
    const saved = harness.savedOutputs.create(me.client.id);
    await saved?.append(Buffer.from(whole));
    await saved?.finish();
    const id = /([^/]+)\.txt$/.exec(saved?.path ?? "")?.[1];
    const uri = `scorpiox://results/${id}`;
    expect(await readText(resources, uri)).toContain(
      `bytes are left out here: the file has them, and ${uri}/1 to ${uri}/3 ...]`,
    );
    const pages = [1, 2, 3, 4].map((page) => readText(resources, `${uri}/${page}`));
    const [first, second, third, none] = await Promise.all(pages);
    expect([first, second, third].join("")).toBe(whole);
    expect(none).toBeUndefined();
  });
});

describe("announceBackgroundTask()", () => {
  test("tells of a new task, its output and its end, to its client", async () => {
    await using harness = new SupervisorHarness();
    const changes = new Changes();
    const seen: Change[] = [];
    changes.listen((change) => seen.push(change));
    const task = await harness.background("read line; echo got");
    announceBackgroundTask(changes, "client", task);
    expect(seen).toEqual([{ kind: "resources", clientId: "client" }]);
    await task.execution.ended;
    const updated = {
      kind: "resource",
      uri: "scorpiox://background/1",
      clientId: "client",
    } as const;
    await until(() => seen.length >= 3);
    expect(seen.slice(1)).toEqual([updated, updated]);
  });

  test("of one that has ended there is nothing more to tell", async () => {
    await using harness = new SupervisorHarness();
    const changes = new Changes();
    const seen: Change[] = [];
    changes.listen((change) => seen.push(change));
    const task = await harness.background("true");
    await task.execution.ended;
    announceBackgroundTask(changes, "client", task);
    expect(seen).toEqual([{ kind: "resources", clientId: "client" }]);
  });
});

test("OwnResources, what is kept for a client, is always there and comes first", async () => {
  await using harness = new SupervisorHarness();
  const listing = { uri: "scorpiox://notes", name: "notes" };
  const { supervisor, savedOutputs } = harness;
  const text = ({ id }: { readonly id: string }): Promise<string> => Promise.resolve(`of ${id}`);
  const resources = new OwnResources({
    supervisor,
    savedOutputs,
    changes: new Changes(),
    state: [{ listing, text }],
  });
  await harness.background("true");
  expect((await resources.list(me.client)).map(({ uri }) => uri)).toEqual([
    listing.uri,
    "scorpiox://background/1",
  ]);
  expect(await readText(resources, listing.uri)).toBe(`of ${me.client.id}`);
  expect(resources.canSubscribe(listing.uri, me.client)).toBe(true);
  expect(await resources.read("scorpiox://notes/", me)).toBeUndefined();
});
