import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { PlanLook } from "../../../../src/state/store/look-file.ts";
import { StoreClient } from "../../../../src/state/store/worker/store-client.ts";

let root = "";
let path = "";
let warnings: string[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scorpiox-store-client-"));
  path = join(root, "home/scorpiox.db");
  warnings = [];
});
afterEach(() => rmSync(root, { recursive: true }));

const urlOf = (name: string): string => new URL(name, import.meta.url).href;
const workerUrl = urlOf("../../../../src/store-worker.ts");

/** A client whose Workers are those of `urls`, one after the other; the last one is repeated. */
function newClient(urls: readonly string[] = [workerUrl], callMsMax = 20_000): StoreClient {
  let made = 0;
  return new StoreClient({
    createWorker: () => new Worker(urls[Math.min(made++, urls.length - 1)] ?? workerUrl),
    path,
    warn: (message) => warnings.push(message),
    callMsMax,
  });
}
const create = (client: StoreClient, text: string): Promise<number> =>
  client
    .call({ method: "tasks.perform", request: { scope, request: { action: "create", text } } })
    .then(({ value }) => value.tasks[0]?.taskId ?? 0);
const textsIn = async (client: StoreClient): Promise<string[]> =>
  (await client.call({ method: "tasks.export", request: { scope } })).value.map(({ text }) => text);
const scope = { workspace: "/w", owner: "" };
const plan = { goal: "g", planFile: "/w/p.md", startedAtMs: 5 };

describe("StoreClient", () => {
  test("keeps the plan of a scope, for others and for the look of the main thread", async () => {
    await using client = newClient();
    const look = new PlanLook(path);
    expect(look.look(scope)).toEqual({ kind: "seen", plan: null });
    expect(await client.call({ method: "plans.set", request: { scope, plan } })).toEqual({
      value: { isSet: true, plan },
      notices: [],
    });
    expect(look.look(scope)).toEqual({ kind: "seen", plan });
    const other = { goal: "o", planFile: "/w/o.md", startedAtMs: 6 };
    const { value } = await client.call({ method: "plans.set", request: { scope, plan: other } });
    expect(value).toEqual({ isSet: false, plan });
    const clear = async (startedAtMs: number | null): Promise<unknown> =>
      (await client.call({ method: "plans.clear", request: { scope, startedAtMs } })).value;
    expect(await clear(plan.startedAtMs - 1)).toBeNull();
    expect(await clear(plan.startedAtMs)).toEqual(plan);
    expect(await clear(null)).toBeNull();
    expect((await client.call({ method: "plans.get", request: { scope } })).value).toBeNull();
    expect(look.look(scope)).toEqual({ kind: "seen", plan: null });
    look[Symbol.dispose]();
    expect(warnings).toEqual([]);
  });

  test("what waits together is all kept, in its order; who is refused is refused alone", async () => {
    await using client = newClient();
    const asked = Array.from({ length: 1_000 }, (_, place) =>
      create(client, place % 100 === 50 ? " " : `task ${place}`).catch((error: Error) => error),
    );
    const ids = await Promise.all(asked);
    const kept = ids.filter((id) => typeof id === "number");
    expect(kept).toEqual(Array.from({ length: 990 }, (_, place) => place + 1));
    expect(ids[50]).toMatchObject({ code: "usage" });
    const texts = await textsIn(client);
    expect([texts.length, texts[0], texts.at(-1)]).toEqual([990, "task 0", "task 999"]);
  });

  const losses: [string, string, number, string][] = [
    ["exits", "./fixtures/exiting-store-worker.ts", 20_000, "it exited with code 3"],
    ["never answers", "./fixtures/silent-store-worker.ts", 50, "it did not answer in time"],
  ];
  test.each(losses)(
    "a Worker that %s is replaced; its requests fail and say what may have become of them",
    async (_name, url, callMsMax, reason) => {
      await using client = newClient([urlOf(url), workerUrl], callMsMax);
      const ends = await Promise.allSettled([
        create(client, "a"),
        client.call({ method: "plans.get", request: { scope } }),
      ]);
      const lost = `The store was lost: ${reason}.`;
      expect(ends.map((end) => (end.status === "rejected" ? String(end.reason) : end))).toEqual([
        `AppError: ${lost} The change may or may not have been saved: check before you repeat it.`,
        `AppError: ${lost} Try again.`,
      ]);
      expect(warnings).toEqual([`The store Worker was lost and is replaced: ${reason}.`]);
      await using next = newClient();
      expect(await create(next, "b")).toBe(1);
    },
  );

  test("at the end what was asked for is still done; afterwards nothing is", async () => {
    const client = newClient();
    // The second in which a shutdown waits is for the writes, not for a Worker that has to start first.
    await create(client, "started");
    const asked = [create(client, "a"), create(client, "b")];
    await client[Symbol.asyncDispose]();
    expect(await Promise.all(asked)).toEqual([2, 3]);
    expect(create(client, "c")).rejects.toThrow("shutting down");
    await using next = newClient();
    expect(await textsIn(next)).toEqual(["started", "a", "b"]);
  });

  test("what became of the file is said with the reply and on stderr", async () => {
    mkdirSync(join(root, "home"));
    writeFileSync(path, "no database ".repeat(1_000));
    await using client = newClient();
    const replies = await Promise.all(
      [1, 2].map(() => client.call({ method: "tasks.export", request: { scope } })),
    );
    expect(warnings).toEqual([expect.stringContaining(`${path} is damaged (`)]);
    expect(replies.map(({ notices }) => [...notices])).toEqual([warnings, warnings]);
  });

  test("what others have found is said with the next reply, once", async () => {
    await using client = newClient();
    client.note("It was set aside.");
    await client
      .call({
        method: "tasks.perform",
        request: {
          scope,
          request: { action: "create", text: " " },
        },
      })
      .catch(() => undefined);
    const replies = [
      await client.call({ method: "tasks.export", request: { scope } }),
      await client.call({ method: "tasks.export", request: { scope } }),
    ];
    expect(replies.map(({ notices }) => notices)).toEqual([["It was set aside."], []]);
  });

  test("a folder that cannot be made is refused, and used as soon as it can", async () => {
    writeFileSync(join(root, "home"), "in the way");
    await using client = newClient();
    expect(create(client, "a")).rejects.toThrow(
      "must be a folder: move the file in its place away",
    );
    await client.call({ method: "plans.get", request: { scope } }).catch(() => undefined);
    rmSync(join(root, "home"));
    expect(await create(client, "b")).toBe(1);
  });
});
