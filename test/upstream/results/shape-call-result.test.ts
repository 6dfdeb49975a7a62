import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import type { ProtocolVersion } from "../../../src/protocol/message.ts";
import { cleanText } from "../../../src/upstream/adapters/text-of.ts";
import { SavedResults } from "../../../src/upstream/results/saved-results.ts";
import {
  type CallResultParts,
  shapeCallResult,
} from "../../../src/upstream/results/shape-call-result.ts";
import type { SavedResultRecord } from "../../../src/upstream/upstreams.ts";

const folder = mkdtempSync(join(tmpdir(), "scorpiox-results-"));
afterAll(() => rmSync(folder, { recursive: true }));
const saved = new SavedResults([join(folder, "results")]);

interface Shown {
  readonly content: readonly {
    readonly type: string;
    readonly text: string;
    readonly uri: string;
    readonly name: string;
    readonly size: number;
  }[];
  readonly structuredContent?: unknown;
  readonly isError: boolean;
  readonly _meta: Readonly<Record<string, unknown>>;
}

const usual: CallResultParts = {
  server: "box",
  tool: "open",
  clean: cleanText,
  charsMax: 2_000,
  results: () => saved.of("ann"),
  structureFault: undefined,
  onProblem: () => {},
};

async function shape(answer: unknown, rest: Partial<CallResultParts> = {}): Promise<Shown> {
  const { json } = await shapeCallResult(answer, { ...usual, ...rest });
  return JSON.parse(json) as Shown;
}

const text = (value: string): unknown => ({ type: "text", text: value });

/**
 * The same answer in a form that is never taken for plain, and the result of it without that addition: short results
 * that need no step must not differ from those that went through all of them.
 */
async function shapeByAllSteps(
  answer: { readonly content: readonly unknown[] },
  rest: Partial<CallResultParts>,
  version: ProtocolVersion,
): Promise<string> {
  const marked = { ...answer, content: [...answer.content, { type: "text", text: "", _meta: {} }] };
  const parts = { ...usual, ...rest };
  const { json } = await shapeCallResult(marked, parts, version);
  const read = JSON.parse(json) as { content: unknown[] };
  read.content.pop();
  return JSON.stringify(read);
}

describe("CA15, CA16: a result that is taken for plain equals one that went through all steps", () => {
  const texts = [
    "",
    "Echo: hi",
    'quotes " and \\ and / and \t and \n',
    "\r\n line ends of Windows",
    "ümläut 漢字 🦊 \u2028\u2029",
    "\u001b[31mred\u001b[0m",
    "\ud800 a lone surrogate",
    "\u0000\u007f\u009b31m",
    "12345678901234567890 1e400 -0",
    '{"a":1,"a":2}',
    "[".repeat(300),
    "sesame is the word",
    "x".repeat(300),
    "x".repeat(1_900),
  ];
  const clean = (value: string): string => cleanText(value).replaceAll("sesame", "***");
  const shapes: readonly ((value: string) => Readonly<Record<string, unknown>>)[] = [
    (value) => ({ content: [text(value)] }),
    (value) => ({ content: [{ text: value, type: "text" }], isError: true }),
    (value) => ({ isError: false, content: [text(value), text("and more")] }),
    (value) => ({ content: [text("a"), text(value)], unknown: 1e300 }),
    (value) => ({ content: [{ type: "text", text: value, other: value }] }),
    () => ({ content: [] }),
  ];
  const versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
  const cases = shapes.flatMap((shapeOf) => texts.map((value) => shapeOf(value)));

  test.each(versions)("%s", async (version) => {
    for (const answer of cases) {
      for (const structureFault of [undefined, "it is missing"]) {
        const problems: string[][] = [[], []];
        const partsFor = (at: number): Partial<CallResultParts> => ({
          clean,
          charsMax: 20_000,
          structureFault,
          onProblem: (problem) => problems[at]?.push(problem),
        });
        const given = { content: [], ...answer };
        const { json } = await shapeCallResult(given, { ...usual, ...partsFor(0) }, version);
        expect(json).toBe(await shapeByAllSteps(given, partsFor(1), version));
        expect(problems[0]).toEqual(problems[1] ?? []);
      }
    }
  });

  test("a text from the wire that the two sides would read differently is written anew", async () => {
    const line =
      '{"content":[{"type":"text","text":"\\u001b[2Jfirst","text":"\\u0041"}],"content":[{"type":"text","text":"last"}]}';
    const { json } = await shapeCallResult(JSON.parse(line), usual);
    expect(json).not.toContain("first");
    expect(JSON.parse(json)).toMatchObject({ content: [{ type: "text", text: "last" }] });
  });
});

describe("GW-31, CA16: an answer that is no result names the server and what is wrong", () => {
  test.each([
    [undefined, "is not an object"],
    ["x", "is not an object"],
    [{}, "has no content"],
    [{ content: "x" }, "has a content that is not an array"],
    [
      { content: [text("a"), { type: "video" }] },
      'has a content[1] that has the unknown type "video"',
    ],
    [
      { content: [{ type: "__proto__" }] },
      'has a content[0] that has the unknown type "__proto__"',
    ],
    [{ content: [{ type: "text" }] }, "has a content[0] that is text without a text"],
    [
      { content: [{ type: "image", data: 1 }] },
      "has a content[0] that is an image without data and mimeType",
    ],
    [
      { content: [{ type: "resource_link", uri: "a:b" }] },
      "has a content[0] that is a link without uri and name",
    ],
    [
      { content: [{ type: "resource", resource: { uri: "a:b" } }] },
      "has a content[0] that is a resource without text or blob",
    ],
    [{ content: [null] }, "has a content[0] that is not an object"],
    [{ content: [], isError: "yes" }, "has an isError that is neither true nor false"],
    [{ content: [], _meta: [] }, "has a _meta that is not an object"],
    [{ content: Array.from({ length: 10_001 }, () => text("")) }, "has 10001 blocks of content"],
  ])("%j %s", async (answer, reason) => {
    const { content, isError } = await shape(answer);
    expect(isError).toBe(true);
    expect(content[0]?.text).toStartWith(
      `The server box answered the call of open with an invalid result: it ${reason}.`,
    );
  });

  test("what can be read of it is shown", async () => {
    const { content } = await shape({ content: [text("the answer"), { type: "video" }] });
    expect(content[0]?.text).toContain(
      "The readable part:\nthe answer\n[content of the unknown kind",
    );
  });
});

describe("CA15, CA17, RP2", () => {
  test("control sequences and halves of characters go, also in structured content and names of members", async () => {
    const shown = await shape({
      content: [text("a\u001b]0;evil\u0007b\u001b[31mc\u0000d\ud800e\tf\n")],
      structuredContent: { "k\u001b[0m": ["v\u0007"] },
    });
    expect(shown.content[0]?.text).toBe("abcd\ufffde\tf\n");
    expect(shown.structuredContent).toEqual({ k: ["v"] });
  });

  test("addresses of the server's resources become ours", async () => {
    const shown = await shape({
      content: [
        { type: "resource_link", uri: "file:///x", name: "x" },
        { type: "resource", resource: { uri: "ui://w/a.html", text: "<b>" } },
      ],
      _meta: {
        ui: { resourceUri: "ui://w/a.html", other: 1 },
        "ui/resourceUri": "ui://w/a.html",
        "openai/outputTemplate": "ui://w/a.html",
        "example.com/key": "kept",
      },
    });
    expect(shown.content).toEqual([
      { type: "resource_link", uri: "scorpiox://mcp/box/file:///x", name: "x" },
      { type: "resource", resource: { uri: "ui://box.scorpiox/w/a.html", text: "<b>" } },
    ] as never);
    expect(shown._meta).toMatchObject({
      ui: { resourceUri: "ui://box.scorpiox/w/a.html", other: 1 },
      "ui/resourceUri": "ui://box.scorpiox/w/a.html",
      "openai/outputTemplate": "ui://box.scorpiox/w/a.html",
      "example.com/key": "kept",
    });
  });

  test("structured content that does not conform is removed, and isError stays", async () => {
    const problems: string[] = [];
    const answer = { content: [text("done")], structuredContent: { a: 1 } };
    const shown = await shape(answer, {
      structureFault: "a: is wrong",
      onProblem: (problem) => void problems.push(problem),
    });
    expect({ ...shown, _meta: undefined }).toMatchObject({
      content: [text("done")],
      isError: false,
    });
    expect("structuredContent" in shown).toBe(false);
    expect(problems).toEqual([
      "The structured content of open does not match its outputSchema: a: is wrong",
    ]);
  });

  test("an error need not have what a success has", async () => {
    const answer = { content: [text("no")], isError: true };
    expect((await shape(answer, { structureFault: "it is missing" })).content).toEqual([
      text("no"),
    ] as never);
  });

  test("structured content alone is text too", async () => {
    expect((await shape({ structuredContent: { a: 1 } })).content).toEqual([
      text('{"a":1}'),
    ] as never);
  });
});

describe("GW-30, CA13, CA14: bounds", () => {
  test.each([
    [1_999, false],
    [2_000, false],
    [2_001, true],
  ])("of %d characters: cut is %p", async (chars, isCut) => {
    const { content } = await shape({ content: [text("x".repeat(chars))] });
    expect(content.length === 2).toBe(isCut);
    expect(content[0]?.text.length).toBeLessThanOrEqual(2_000);
  });

  test("several texts count together, an image stays, and the file has all of it", async () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    const shown = await shape({
      content: [text("a".repeat(1_500)), image, text("b".repeat(1_500))],
    });
    expect(shown.content.map(({ type }) => type)).toEqual(["text", "resource_link", "image"]);
    const link = shown.content[1];
    const path = join(folder, "results", link?.name ?? "");
    expect(shown.content[0]?.text).toContain(
      `are left out here. The whole output is in ${path} and can be read as ${link?.uri} ...]`,
    );
    expect(link?.uri).toBe(`scorpiox://results/${basename(path, ".txt")}`);
    expect(readFileSync(path, "utf8")).toBe(
      `${"a".repeat(1_500)}\n[image image/png 3 bytes]\n${"b".repeat(1_500)}`,
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "results")).mode & 0o777).toBe(0o700);
    expect(link?.name).toMatch(/^[0-9a-z]{1,16}-[0-9a-f]{16}-[0-9a-f]{8}\.txt$/);
    expect(link?.size).toBe(statSync(path).size);
  });

  test("characters of several bytes are cut at their borders, and to bytes", async () => {
    const { content } = await shape({ content: [text("😀".repeat(5_000))] });
    const shown = content[0]?.text ?? "";
    expect(shown.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(3_000 + 1_000);
  });

  const sentence = {
    type: "text",
    text: "The call was made. Its result is too long to return as structured data; this is its text:\n",
  };
  const data = { list: Array.from({ length: 2_000 }, (_, index) => index) };
  test.each([
    ["a tool that has promised no data", {}, [], false],
    ["a tool that has promised data", { promisesStructure: true }, [sentence], true],
  ])("data that is too long is never cut: %s", async (_name, parts, first, isError) => {
    const answer = { content: [text("2,000 numbers")], structuredContent: data };
    const { content, ...rest } = await shape(answer, parts);
    const [shown, link, ...others] = content.slice(first.length);
    expect<object>(content.slice(0, first.length)).toEqual(first);
    // The file has it all: what stood in the texts, and the data.
    expect(shown?.text).toStartWith('2,000 numbers\n{"list":[0,1,');
    expect(shown?.text).toContain("characters are left out here.");
    expect([link?.type, others]).toEqual(["resource_link", []]);
    expect(rest).toMatchObject({ isError });
    expect("structuredContent" in rest).toBe(false);
  });

  test("data that stands in a text too is saved and shown once", async () => {
    const json = JSON.stringify(data);
    const answer = { content: [text(json)], structuredContent: data };
    const { content } = await shape(answer);
    expect(content[0]?.text).toContain(
      ` of ${json.length.toLocaleString("en")} characters are left out here.`,
    );
  });

  test("data beside a text that is too long goes with it", async () => {
    const answer = { content: [text("x".repeat(9_000))], structuredContent: { a: 1 } };
    const shown = await shape(answer, { promisesStructure: true });
    expect([shown.isError, "structuredContent" in shown]).toEqual([true, false]);
    expect(shown.content[1]?.text).toEndWith('\n{"a":1}');
  });

  test("text and data may each be as long as the client takes", async () => {
    const answer = {
      content: [text("x".repeat(1_900))],
      structuredContent: { a: "y".repeat(1_900) },
    };
    const { content, structuredContent } = await shape(answer, { promisesStructure: true });
    expect([content, structuredContent]).toEqual([
      answer.content,
      answer.structuredContent,
    ] as never);
  });

  test.each([
    ["no content", [], '{"a":1}'],
    ["a picture alone", [{ type: "image", data: "", mimeType: "image/png" }], '{"a":1}'],
  ])("clients that show texts alone get data as one: %s", async (_name, content, json) => {
    const shown = await shape({ content, structuredContent: { a: 1 } });
    expect(shown).toMatchObject({ structuredContent: { a: 1 }, isError: false });
    expect(shown.content.slice(content.length)).toEqual([text(json)] as never);
  });

  test("long structured content becomes text, which is cut", async () => {
    const shown = await shape({
      content: [],
      structuredContent: { list: Array.from({ length: 2_000 }, (_, index) => index) },
    });
    expect("structuredContent" in shown).toBe(false);
    expect(shown.content[0]?.text).toStartWith('{"list":[0,1,');
  });

  test("no result of any size is more than 100 kB by default", async () => {
    const answer = {
      content: [
        text('ä"\n'.repeat(500_000)),
        ...Array.from({ length: 5_000 }, () => ({ type: "resource_link", uri: "a:b", name: "n" })),
      ],
      structuredContent: { a: "\u0001".repeat(100_000) },
      _meta: { long: "x".repeat(50_000) },
    };
    const { json } = await shapeCallResult(answer, { ...usual, charsMax: 30_000 });
    expect(json.length).toBeLessThan(100_000);
  });

  test("a result never says that somebody else is this server, and has the shape of the revision", async () => {
    const answer = {
      content: [text("fine")],
      structuredContent: { a: 1 },
      resultType: "input_required",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "evil" }, "example.com/x": 1 },
    };
    const modern = await shapeCallResult(answer, usual, "2026-07-28");
    expect(modern.json).not.toContain("evil");
    expect(JSON.parse(modern.json)).toMatchObject({
      resultType: "complete",
      structuredContent: { a: 1 },
      _meta: { "example.com/x": 1 },
    });
    const old = await shapeCallResult(answer, usual, "2024-11-05");
    expect(JSON.parse(old.json)).toEqual({
      content: [text("fine")],
      isError: false,
      _meta: { "example.com/x": 1 },
    });
  });

  test("without a folder that can be written it says so", async () => {
    const { content } = await shape(
      { content: [text("x".repeat(9_000))] },
      { results: () => new SavedResults(["/proc/none"]).of("ann") },
    );
    expect(content).toHaveLength(1);
    expect(content[0]?.text).toContain("the whole could not be saved: ask for less");
  });

  test("what is left out has a task, which begins at its first byte, and a link, of which the text tells too", async () => {
    const saved: SavedResultRecord[] = [];
    const giveTask = (output: SavedResultRecord): Promise<number> =>
      Promise.resolve(saved.push(output) + 6);
    const parts = {
      ...usual,
      results: () => new SavedResults([folder]).of("ann", { keep: giveTask }),
    };
    const long = "€ line\n".repeat(2_000);
    for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2026-07-28"] as const) {
      const { json } = await shapeCallResult({ content: [text(long)] }, parts, version);
      const { content } = JSON.parse(json) as { content: { type: string; text: string }[] };
      const { resultId, path, from, bytes } = saved.at(-1) ?? { from: 0, path: "" };
      const hasLinks = version >= "2025-06-18";
      expect(content.map(({ type }) => type)).toEqual(
        hasLinks ? ["text", "resource_link"] : ["text"],
      );
      const [head, line] = (content[0]?.text ?? "").split(/^(\[\.\.\. .*)$/m);
      const uri = ` and can be read as scorpiox://results/${resultId}`;
      expect(line).toEndWith(
        `ReadBgOutput with task_id ${saved.length + 6} reads on from here; the whole output is in ${path}${uri} ...]`,
      );
      expect([from, bytes]).toEqual([Buffer.byteLength(head ?? ""), Buffer.byteLength(long)]);
    }
  });

  test("a folder that cannot be written is stood in for by the next", async () => {
    const second = join(folder, "second");
    await shape(
      { content: [text("x".repeat(9_000))] },
      { results: () => new SavedResults(["/proc/none", second]).of("ann") },
    );
    expect(readdirSync(second)).toHaveLength(1);
  });

  test("values that are nested without end are cut", async () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 5_000; depth++) deep = [deep];
    expect(await shape({ content: [text("a")], structuredContent: { deep } })).toMatchObject({
      isError: false,
    });
  });
});
