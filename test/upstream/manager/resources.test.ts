import { expect, test } from "bun:test";

import { ResourcePoll } from "../../../src/upstream/manager/subscriptions.ts";
import type { UpstreamReply } from "../../../src/upstream/upstreams.ts";
import { until } from "../connect/open-scripted.ts";
import { openPlace, textOfReply } from "./open-work.ts";

function resultOf(reply: UpstreamReply): unknown {
  if (reply.kind !== "result") throw new Error(textOfReply(reply));
  return JSON.parse(reply.json.json);
}

test.each(["legacy", "modern"] as const)(
  "a %s server's resources and prompts are listed, read and watched by addresses of ours",
  async (era) => {
    await using place = await openPlace();
    await place.configure({
      one: { script: { era, tools: ["touch_resource", "exit"], resources: 2, prompts: 1 } },
    });
    const opened = place.open();
    await opened.work.start();
    await opened.reach("one", "ready");
    await until(() => !opened.snapshot().isIncomplete);
    const { resources, prompts } = opened.snapshot();
    expect(resources).toHaveLength(2);
    const uri = resources[0]?.uri ?? "";
    const own = uri.replace("scorpiox://mcp/one/", "");
    expect(uri).toBe(`scorpiox://mcp/one/${own}`);
    const read = await opened.call(
      "one",
      "",
      {},
      { method: "resources/read", params: { uri: own } },
    );
    expect(resultOf(read)).toMatchObject({ contents: [{ uri }] });
    expect(prompts).toMatchObject([
      { server: "one", prompt: "prompt_0", listing: { name: "mcp__one__prompt_0" } },
    ]);
    const got = await opened.call(
      "one",
      "",
      {},
      { method: "prompts/get", params: { name: "prompt_0" } },
    );
    expect(resultOf(got)).toMatchObject({ messages: [{ role: "user" }] });

    expect(await opened.work.subscribe(uri, "a")).toBe(true);
    expect(await opened.work.subscribe(uri, "b")).toBe(true);
    const updates = (): number =>
      opened.events.filter(({ kind }) => kind === "resource-updated").length;
    await opened.call("one", "touch_resource", { uri: own });
    await until(() => updates() === 1);
    expect(opened.events).toContainEqual({ kind: "resource-updated", uri });
    // A new connection is told what is watched.
    await opened.call("one", "exit", { code: 1 });
    opened.work.unsubscribe(uri, "a");
    for (let before = updates(); updates() === before;) {
      await opened.call("one", "touch_resource", { uri: own });
      await Bun.sleep(20);
    }
    opened.work.endClient("b");
    expect(await opened.work.subscribe("scorpiox://mcp/none/a:b", "a")).toBe(false);
  },
  60_000,
);

test("who asks while the server is being asked gets its answer too", async () => {
  await using place = await openPlace();
  const script = { resources: 1, capabilities: { resources: {} }, era: "legacy" } as const;
  await place.configure({ refuses: { script }, grants: { script: { resources: 1 } } });
  const opened = place.open();
  await opened.work.start();
  for (const name of ["grants", "refuses"]) await opened.reach(name, "ready");
  await until(() => opened.snapshot().resources.length === 2);
  const [granted = "", refused = ""] = opened.snapshot().resources.map(({ uri }) => uri);
  const ask = (uri: string): Promise<boolean[]> =>
    Promise.all(["a", "b"].map((client) => opened.work.subscribe(uri, client)));
  expect([await ask(granted), await ask(refused)]).toEqual([
    [true, true],
    [false, false],
  ]);
  for (const client of ["a", "b"]) opened.work.unsubscribe(granted, client);
  const again = opened.work.subscribe(granted, "c");
  opened.work.unsubscribe(granted, "c");
  const last = opened.work.subscribe(granted, "d");
  expect([await again, await last]).toEqual([true, true]);
});

test("a server that tells of no changes is looked at when its entry says so, and else refuses", async () => {
  await using place = await openPlace();
  const script = { resources: 1, capabilities: { resources: {} }, era: "legacy" } as const;
  await place.configure({ looks: { script, poll_s: 1 }, refuses: { script } });
  const ask = async (): Promise<boolean[]> => {
    await using opened = place.open();
    await opened.work.start();
    // Not for "ready": both have one launch, and the one that comes second may know its offer from the other.
    await until(() => opened.snapshot().resources.length === 2);
    const [looked = "", refused = ""] = opened.snapshot().resources.map(({ uri }) => uri);
    return [await opened.work.subscribe(looked, "a"), await opened.work.subscribe(refused, "a")];
  };
  // The second time both are cached.
  expect([await ask(), await ask()]).toEqual([
    [true, false],
    [true, false],
  ]);
});

test("ResourcePoll tells when what is read differs, and not after its end", async () => {
  let value = 1;
  let changes = 0;
  let looks = 0;
  const poll = new ResourcePoll(
    5,
    () => Promise.resolve(++looks && { value }),
    () => void changes++,
  );
  await until(() => looks === 3);
  expect(changes).toBe(0);
  value = 2;
  await until(() => changes === 1);
  poll[Symbol.dispose]();
  value = 3;
  const seen = looks;
  await Bun.sleep(30);
  expect([changes, looks <= seen + 1]).toEqual([1, true]);
});
