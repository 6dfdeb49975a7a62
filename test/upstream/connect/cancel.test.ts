import { describe, expect, test } from "bun:test";

import { openScripted, toolCall, type Transport, until } from "./open-scripted.ts";

const pairs: readonly (readonly [Transport, "legacy" | "modern"])[] = [
  ["stdio", "legacy"],
  ["stdio", "modern"],
  ["http", "legacy"],
  ["http", "modern"],
];

async function failureOf(reply: Promise<unknown>): Promise<unknown> {
  const error = await reply.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return (error as { failure?: string } | undefined)?.failure;
}

describe("a call that nobody waits for [GW-28]", () => {
  test.each(pairs)("%s, %s: cancelling stops the work of the server", async (transport, era) => {
    await using opened = await openScripted(transport, { era, http: { reply: "sse" } });
    const { connection, told } = opened;
    const leaving = new AbortController();
    let progress = 0;
    const onProgress = (): void => void (progress += 1);
    const running = connection.request(
      toolCall("progress", { steps: 100_000, ms: 1 }, { signal: leaving.signal, onProgress }),
    );
    await until(() => progress > 1);
    leaving.abort();
    expect(await failureOf(running)).toBe("cancelled");
    const seen = progress;
    const cancelled = async (): Promise<unknown> => {
      const reply = await connection.request(toolCall("cancelled"));
      return reply.kind === "result"
        ? (reply.result as { content: { text: string }[] }).content[0]?.text
        : reply;
    };
    while ((await cancelled()) !== "1") await Bun.sleep(5);
    expect(progress).toBe(seen);
    expect(told.closed).toEqual([]);
  });

  test.each(pairs)("%s, %s: one that takes too long is cancelled too", async (transport, era) => {
    await using opened = await openScripted(transport, { era, http: { reply: "sse" } });
    const { connection } = opened;
    expect(await failureOf(connection.request(toolCall("hang", {}, { timeoutMs: 50 })))).toBe(
      "timeout",
    );
    expect(await failureOf(connection.request(toolCall("hang", {}, { idleMs: 50 })))).toBe(
      "timeout",
    );
    await connection.ping(new AbortController().signal);
  });

  test("one that is cancelled before it is sent is not sent", async () => {
    await using opened = await openScripted("stdio", {});
    expect(
      await failureOf(
        opened.connection.request(toolCall("echo", {}, { signal: AbortSignal.abort() })),
      ),
    ).toBe("cancelled");
  });

  test("progress rises, and an answer without progress is a result all the same [GW-27]", async () => {
    await using opened = await openScripted("stdio", {});
    const seen: number[] = [];
    const onProgress = (progress: number): void => void seen.push(progress);
    await opened.connection.request(toolCall("progress", { steps: 5, ms: 0 }, { onProgress }));
    expect(seen).toEqual([1, 2, 3, 4, 5]);
  });
});
