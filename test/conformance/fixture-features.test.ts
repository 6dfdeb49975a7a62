import { describe, expect, test } from "bun:test";

import { modern, request } from "../server/harness.ts";
import { type MemoryFixture, startMemoryFixture } from "./fixture-memory.ts";
import { pngBase64 } from "./samples.ts";

type Ask = (fixture: MemoryFixture, method: string, params: object) => Promise<unknown>;

const askModern: Ask = async (fixture, method, params) => {
  const [reply] = await fixture.exchange(modern(1, method, params));
  return reply;
};

const askLegacy: Ask = async (fixture, method, params) => {
  await fixture.exchange(request(0, "initialize", { protocolVersion: "2025-11-25" }));
  const [reply] = await fixture.exchange(request(1, method, params));
  return reply;
};

const eras: readonly (readonly [string, Ask])[] = [
  ["modern", askModern],
  ["legacy", askLegacy],
];

const user = (content: unknown): unknown => ({ role: "user", content });
const text = (value: string): unknown => ({ type: "text", text: value });

describe.each(eras)("%s", (_, ask) => {
  test.each([
    [
      "test://static-text",
      { mimeType: "text/plain", text: "This is the content of the static text resource." },
    ],
    ["test://static-binary", { mimeType: "image/png", blob: pngBase64 }],
    ["test://watched-resource", { mimeType: "text/plain", text: "Version 1" }],
    [
      "test://template/123/data",
      {
        mimeType: "application/json",
        text: '{"id":"123","templateTest":true,"data":"Data for ID: 123"}',
      },
    ],
  ])("resources/read %s", async (uri, contents) => {
    await using fixture = startMemoryFixture();
    expect(await ask(fixture, "resources/read", { uri })).toMatchObject({
      result: { contents: [{ uri, ...contents }] },
    });
  });

  test.each([
    ["test_simple_prompt", {}, [text("This is a simple prompt for testing.")]],
    [
      "test_prompt_with_arguments",
      { arg1: "a", arg2: "b" },
      [text("Prompt with arguments: arg1='a', arg2='b'")],
    ],
    [
      "test_prompt_with_embedded_resource",
      { resourceUri: "test://x" },
      [
        {
          type: "resource",
          resource: {
            uri: "test://x",
            mimeType: "text/plain",
            text: "Embedded resource content for testing.",
          },
        },
        text("Please process the embedded resource above."),
      ],
    ],
    [
      "test_prompt_with_image",
      {},
      [
        { type: "image", data: pngBase64, mimeType: "image/png" },
        text("Please analyze the image above."),
      ],
    ],
  ])("prompts/get %s", async (name, args, contents) => {
    await using fixture = startMemoryFixture();
    expect(await ask(fixture, "prompts/get", { name, arguments: args })).toMatchObject({
      result: { messages: contents.map(user) },
    });
  });

  test("completion/complete offers what begins with the typed text", async () => {
    await using fixture = startMemoryFixture();
    const ref = { type: "ref/prompt", name: "test_prompt_with_arguments" };
    const params = { ref, argument: { name: "arg1", value: "par" } };
    expect(await ask(fixture, "completion/complete", params)).toMatchObject({
      result: { completion: { values: ["park", "party"], total: 2, hasMore: false } },
    });
  });

  test("a change of the prompts is seen in the next list", async () => {
    await using fixture = startMemoryFixture();
    await ask(fixture, "tools/call", { name: "test_trigger_prompt_change" });
    expect(await ask(fixture, "prompts/list", {})).toMatchObject({
      result: {
        prompts: expect.arrayContaining([
          expect.objectContaining({ name: "test_appearing_prompt" }),
        ]),
      },
    });
  });
});

describe("skill", () => {
  test("skills/list names each file once, with what it really holds", async () => {
    await using fixture = startMemoryFixture();
    const reply = await askModern(fixture, "skills/list", {});
    const file = {
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      size: expect.any(Number),
    };
    expect(reply).toMatchObject({
      result: {
        skills: [
          {
            uri: "skill://review-notes/SKILL.md",
            frontmatter: { name: "review-notes" },
            resources: [
              { uri: "skill://review-notes/SKILL.md", ...file },
              { uri: "skill://review-notes/references/tone.md", ...file },
            ],
          },
        ],
      },
    });
  });

  test.each([
    [
      "skill://review-notes",
      [
        ["skill://review-notes/SKILL.md", "text/markdown"],
        ["skill://review-notes/references", "inode/directory"],
      ],
    ],
    [
      "skill://review-notes/references",
      [["skill://review-notes/references/tone.md", "text/markdown"]],
    ],
  ])("resources/directory/read %s lists the direct children", async (uri, children) => {
    await using fixture = startMemoryFixture();
    expect(await askModern(fixture, "resources/directory/read", { uri })).toMatchObject({
      result: { resources: children.map(([uri, mimeType]) => ({ uri, mimeType })) },
    });
  });
});
