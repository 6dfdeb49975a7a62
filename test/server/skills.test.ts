import { describe, expect, test } from "bun:test";
import { ServerContext } from "../../src/server/context/server-context.ts";
import { Changes } from "../../src/calls/features.ts";
import { ownMeta } from "../protocol/own-meta.ts";
import { everyFeature, resource, skill } from "./fake-features.ts";
import { modern, request, result, startServer, startSession } from "./harness.ts";

const around = { resultType: "complete", ttlMs: 300_000, cacheScope: "private", _meta: ownMeta };

describe("the skills extension", () => {
  test("lists, gets and reads directories", async () => {
    const { exchange } = startServer(0, everyFeature());
    expect(
      await exchange(
        3,
        modern(1, "skills/list"),
        modern(2, "skills/get", { uri: skill.uri }),
        modern(3, "resources/directory/read", { uri: "skill://a" }),
      ),
    ).toEqual([
      result(1, { ...around, skills: [skill] }),
      result(2, { ...around, skill }),
      result(3, { ...around, resources: [resource] }),
    ]);
  });

  test.each([
    ["skills/list", { cursor: "x" }],
    ["skills/get", {}],
    ["skills/get", { uri: "skill://no/SKILL.md" }],
    ["skills/get", { uri: "skill://a/../a/SKILL.md" }],
    ["resources/directory/read", { uri: "skill://a/SKILL.md" }],
    ["resources/directory/read", { uri: "skill://a", cursor: "x" }],
    ["resources/directory/read", {}],
  ])("%s %j is -32602", async (method, params) => {
    const { exchange } = startServer(0, everyFeature());
    const [reply] = await exchange(1, modern(1, method, params));
    expect(reply).toMatchObject({ id: 1, error: { code: -32602 } });
  });

  test.each([
    ["skills/list", { skills: [skill] }],
    ["skills/get", { skill }],
    ["resources/directory/read", { resources: [resource] }],
  ])("%s answers in legacy sessions without what is of later revisions", async (method, answer) => {
    const { exchange } = await startSession("2025-11-25", {}, everyFeature());
    const uri = method === "skills/get" ? skill.uri : "skill://a";
    expect(await exchange(1, request(1, method, { uri }))).toEqual([result(1, answer)]);
  });

  test("a server with skills has resources: their files are read there", () => {
    const { skills } = everyFeature();
    if (skills === undefined) throw new Error("no skills");
    const features = {
      tools: { list: () => [], call: () => Promise.reject(new Error("no tools")) },
      changes: new Changes(),
      changing: new Set<never>(),
      skills,
    };
    const stateKey = (): Promise<Uint8Array> => Promise.resolve(new Uint8Array(32));
    expect(() => new ServerContext({ features, instructions: "", stateKey })).toThrow("resources");
  });
});
