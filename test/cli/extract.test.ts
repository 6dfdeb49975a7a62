import { describe, expect, test } from "bun:test";

import { messageLineBytesMax } from "../../src/base/limits.ts";
import { jsonlLineBytesMax, jsonlLines } from "../../src/cli/commands/web.ts";
import { readAll } from "../../src/cli/terminal-io.ts";
import { run } from "./fake-io.ts";

const sentence =
  "The river bends because the water erodes the outer bank, and it does so year after year.";
const page = `<title>Rivers</title><nav><a href=/>Home</a></nav><main><p>${sentence}</p><p>More of it is <a href="/map">on the map</a>, which shows the old beds, and the new ones.</p></main>`;
const rest = "More of it is on the map, which shows the old beds, and the new ones.";
const markdownOf = (base: string): string =>
  `${sentence}\n\nMore of it is [on the map](${base}map), which shows the old beds, and the new ones.\n`;

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

describe("extract", () => {
  test.each([
    ["Markdown", [], markdownOf("https://page.invalid/")],
    [
      "Markdown with addresses of the page's own",
      ["--url", "https://example.org/a/b"],
      markdownOf("https://example.org/"),
    ],
    ["plain text", ["--format", "text"], `${sentence}\n\n${rest}\n`],
  ])("prints %s", async (_, flags, expected) => {
    const { exitCode, stdout, stderr } = await run(["extract", ...flags], {
      stdin: [page.slice(0, 50), page.slice(50)],
    });
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: expected, stderr: "" });
  });

  test("prints clean HTML", async () => {
    const { stdout } = await run(["extract", "--format", "html"], { stdin: [page] });
    expect(stdout).toContain(`<p>${sentence}</p>`);
    expect(stdout).not.toContain("Home");
  });

  test("prints an empty line for an empty page", async () => {
    const { exitCode, stdout } = await run(["extract"], { stdin: [] });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "\n" });
  });

  test.each([
    [
      "a URL of another kind",
      ["--url", "file:///etc/passwd"],
      "--url file:///etc/passwd is not the URL of a page",
    ],
    ["no URL", ["--url", "example"], "--url example is not the URL of a page"],
    ["another format", ["--format", "pdf"], "--format pdf is not possible"],
  ])("refuses %s", async (_, flags, message) => {
    const { exitCode, stdout, stderr } = await run(["extract", ...flags], { stdin: [page] });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(message);
  });
});

describe("extract --jsonl", () => {
  const answers = async (lines: readonly string[]): Promise<unknown[]> => {
    const { stdout } = await run(["extract", "--jsonl"], { stdin: [lines.join("\n")] });
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as unknown);
  };

  test("answers each line with one, in order", async () => {
    const request = (id: unknown, url: string): string => JSON.stringify({ id, url, html: page });
    const lines = [request("a", "https://a.example/"), request(7, "https://b.example/"), ""];
    expect(await answers(lines)).toEqual([
      { id: "a", output: markdownOf("https://a.example/").trimEnd() },
      { id: 7, output: markdownOf("https://b.example/").trimEnd() },
    ]);
  });

  test.each([
    ["what is no JSON", "{oops", { id: null, error: expect.stringContaining("JSON") }],
    ["what is no object", "7", { id: null, error: 'The line is not {"id", "url", "html"}: 7' }],
    [
      "an object without HTML",
      '{"id":"x"}',
      { id: "x", error: 'The line is not {"id", "url", "html"}: {"id":"x"}' },
    ],
    [
      "a URL that is none",
      '{"id":"x","url":"nowhere","html":"<p>a"}',
      { id: "x", error: expect.stringContaining("nowhere") },
    ],
  ])("answers %s with an error and goes on", async (_, line, expected) => {
    const [first, second] = await answers([line, JSON.stringify({ id: "next", html: "" })]);
    expect(first).toEqual(expected);
    expect(second).toEqual({ id: "next", output: "" });
  });
});

describe("jsonlLines()", () => {
  const read = async (input: AsyncIterable<Uint8Array>, max?: number): Promise<string[]> => {
    const lines: string[] = [];
    for await (const line of jsonlLines(input, max)) {
      lines.push(line.kind === "line" ? line.text : line.kind);
    }
    return lines;
  };

  test.each([
    ["at the bound", ["12345\n1\n"], ["12345", "1"]],
    ["above the bound", ["123456\n1\n"], ["too-long", "1"]],
    ["in pieces", ["12", "3\n4", "5"], ["123", "45"]],
    ["empty", ["\n \n1"], ["1"]],
  ])("lines %s", async (_, texts, expected) => {
    expect(await read(chunks(...texts), 5)).toEqual(expected);
  });

  test("has room for a page of 10 MB that is all quotes", () => {
    expect(jsonlLineBytesMax).toBe(2 * messageLineBytesMax);
    expect(jsonlLineBytesMax).toBeGreaterThan(2 * 10_000_000);
  });
});

describe("readAll()", () => {
  test.each([
    ["below the bound", ["ab", "c"], 4],
    ["at the bound", ["ab", "cd"], 4],
  ])("joins chunks %s", async (_, texts, max) => {
    const bytes = await readAll(chunks(...texts), max, "the page");
    expect(new TextDecoder().decode(bytes)).toBe(texts.join(""));
  });

  test("refuses more", async () => {
    const failure = readAll(chunks("ab", "cde"), 4, "the page");
    expect(await failure.catch((error: unknown) => error)).toMatchObject({
      code: "limit",
      message: "the page is longer than 4 bytes, the limit.",
    });
  });
});
