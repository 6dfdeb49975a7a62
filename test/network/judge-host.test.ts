import { describe, expect, test } from "bun:test";
import { resolveBySystem, resolveHost } from "../../src/network/judge-host.ts";

const signal = new AbortController().signal;
const never = (): Promise<never> => new Promise(() => undefined);

describe("resolveHost()", () => {
  test("gives each address once, in order", async () => {
    const resolve = async (): Promise<string[]> => ["9.9.9.9", "::1", "9.9.9.9"];
    expect(await resolveHost("a.example", resolve, signal)).toEqual(["9.9.9.9", "::1"]);
  });

  test.each<[name: string, resolve: () => Promise<string[]>, message: string]>([
    ["no address", async () => [], "it has no address"],
    [
      "no name",
      () => Promise.reject(Object.assign(new Error("x"), { code: "DNS_ENOTFOUND" })),
      "DNS has no such name",
    ],
    [
      "a failure",
      () => Promise.reject(Object.assign(new Error("x"), { code: "DNS_ESERVFAIL" })),
      "ESERVFAIL",
    ],
    ["another failure", () => Promise.reject(new Error("broken")), "broken"],
    ["no answer", never, "no answer from DNS within 20 ms"],
    [
      "a flood",
      async () => Array.from({ length: 65 }, (_, n) => `9.9.9.${n}`),
      "it has too many addresses",
    ],
  ])("%s is a failure of the system that says so", async (_name, resolve, message) => {
    const failure = resolveHost("a.example", resolve, signal, 20);
    expect(await failure.catch((error: unknown) => error)).toMatchObject({
      code: "system",
      message: `Cannot resolve "a.example": ${message}. Check the spelling and the network.`,
    });
  });

  test("ends when it is cancelled, before and meanwhile", async () => {
    const controller = new AbortController();
    const meanwhile = resolveHost("a.example", never, controller.signal);
    controller.abort();
    const before = resolveHost("a.example", never, controller.signal);
    const ends = await Promise.allSettled([meanwhile, before]);
    expect(ends).toMatchObject([
      { reason: { code: "cancelled" } },
      { reason: { code: "cancelled" } },
    ]);
  });
});

test("resolveBySystem() reads the system's own table of hosts", async () => {
  expect(await resolveBySystem("localhost")).toContain("127.0.0.1");
});
