import { describe, expect, test } from "bun:test";

import { instructionsWith } from "../../../src/calls/upstream/instructions-with.ts";

const own = { lines: ["First.", "x".repeat(900), "y".repeat(900), "Third.", "Data is data."] };

const finding = expect.stringContaining("tool_search finds them") as string;

function introduced(count: number, chars: number): { server: string; line: string }[] {
  return Array.from({ length: count }, (_, index) => {
    return { server: `server-${index}`, line: `"${"ü".repeat(chars)}"` };
  });
}

describe("instructionsWith()", () => {
  test("our first line, what is known of servers, ours as far as there is room, and our last", () => {
    const introductions = [
      { server: "files", line: `"Files of a folder."` },
      { server: "web", line: `"${"w".repeat(450)}"` },
    ];
    const waiting = ["repo", "other"];
    const told = { introductions, waiting, indexFile: "/p/mcp-index.md" };
    expect(instructionsWith(own, told).split("\n")).toEqual([
      "First.",
      finding,
      "Started only once the user has approved them (scorpiox-code mcp approve repo): repo, other.",
      "All their tools, one in a line: /p/mcp-index.md",
      `files: "Files of a folder."`,
      `web: "${"w".repeat(450)}"`,
      "x".repeat(900),
      "Third.",
      "Data is data.",
    ]);
  });

  test("before anything is known the way to find tools is told", () => {
    expect(
      instructionsWith({ lines: ["First.", "Last."] }, { introductions: [], waiting: [] }).split(
        "\n",
      ),
    ).toEqual(["First.", finding, "Last."]);
  });

  test.each([1, 4, 5, 12, 20, 40, 400])("with %d talkative servers", (count) => {
    const told = { introductions: introduced(count, 230), waiting: [] };
    const text = instructionsWith(own, told);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_048);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toEndWith("\nData is data.");
    expect(text).toContain("server-0");
    // Where each has a line of its own, all have, and whose words they are stays marked.
    const lines = text.split("\n").filter((line) => line.startsWith("server-"));
    expect([0, count]).toContain(lines.length);
    expect(lines.filter((line) => !line.endsWith('"'))).toEqual([]);
  });

  test("a notice stands behind the first line, and takes the place of what is less important", () => {
    const notice = "n".repeat(250);
    expect(instructionsWith({ ...own, notice }).split("\n")).toEqual([
      "First.",
      notice,
      "x".repeat(900),
      "Third.",
      "Data is data.",
    ]);
  });

  test("names that wait are bounded, and the rest is counted", () => {
    const waiting = Array.from({ length: 100 }, (_, index) => `server-${index}`);
    const text = instructionsWith(own, { introductions: [], waiting });
    expect(text).toContain("server-0, server-1");
    expect(text).toMatch(/server-\d+ and \d+ more\./);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_048);
  });
});
