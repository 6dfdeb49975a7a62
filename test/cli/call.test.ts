import { describe, expect, test } from "bun:test";

import type { CallOutcome } from "../../src/calls/call.ts";
import { probeTool, resultOf, run } from "./fake-io.ts";

describe("call", () => {
  test.each([
    [["text=a=b", "count=-3", "ratio=0.5"], { text: "a=b", count: -3, ratio: 0.5 }],
    [["deep=Yes", "list=[1]", 'map={"a":1}'], { deep: true, list: [1], map: { a: 1 } }],
    [["text=5"], { text: "5" }],
    [["text="], { text: "" }],
    [['{"any": [1, null]}'], { any: [1, null] }],
    [[], {}],
    [["--", "text=--x"], { text: "--x" }],
  ])("%j passes %j", async (words, args) => {
    const { exitCode, stdout, stderr, calls, closed } = await run(["call", "Probe", ...words]);
    expect({ exitCode, stdout, stderr, closed }).toEqual({
      exitCode: 0,
      stdout: "done\n",
      stderr: "",
      closed: 1,
    });
    expect(calls.map((call) => [call.name, call.args, call.client.limits])).toEqual([
      ["Probe", args, { answerMs: 0, resultCharsMax: 30_000 }],
    ]);
  });

  test.each([
    [["count=x"], "count=x is not possible: count takes an integer."],
    [["count=1.5"], "count=1.5 is not possible: count takes an integer."],
    [["count="], "count= is not possible: count takes an integer."],
    [["ratio=Infinity"], "ratio=Infinity is not possible: ratio takes a number."],
    [["deep=perhaps"], "deep=perhaps is not possible: deep takes a boolean."],
    [["list={}"], "list={} is not possible: list takes an array in JSON."],
    [["map=["], "map=[ is not possible: map takes an object in JSON."],
    [["cuont=1"], "There is no key cuont. Did you mean count?"],
    [["__proto__=1"], "There is no key __proto__."],
    [["text=a", "text=b"], "text is given twice."],
    [
      ["word"],
      "word is neither KEY=VALUE nor a JSON object in quotes. Write, for instance, text='word'",
    ],
    [
      ['{"text": "a=b"}', "count=1"],
      '{"text": "a=b"} is JSON: give all arguments as one JSON object, or each of them as KEY=VALUE.',
    ],
    [["{"], "The arguments are not JSON: "],
  ])("%j is wrong usage", async (words, message) => {
    const { exitCode, stdout, stderr, calls, closed } = await run(["call", "Probe", ...words]);
    expect({ exitCode, stdout, calls, closed }).toEqual({
      exitCode: 2,
      stdout: "",
      calls: [],
      closed: 1,
    });
    expect(stderr).toStartWith(`scorpiox-code: error: ${message}`);
  });

  test.each([
    ["Prob", "There is no tool Prob. Did you mean Probe?"],
    ["Zzzzzz", "There is no tool Zzzzzz. There are: Probe."],
  ])("%s is not found", async (name, message) => {
    const { exitCode, stderr } = await run(["call", name]);
    expect([exitCode, stderr]).toEqual([3, `scorpiox-code: error: ${message}\n`]);
  });

  test("a tool that is switched off is said to be", async () => {
    const env = { SCORPIOX_TOOL_BASH: "off" };
    const { exitCode, stderr } = await run(["call", "Bash", "command=ls"], { env });
    expect([exitCode, stderr]).toEqual([
      3,
      "scorpiox-code: error: The tool Bash is switched off. See: scorpiox-code config list --show-source\n",
    ]);
  });

  test("prints what a tool says of its failure, and exits with 1", async () => {
    const outcome = resultOf([{ type: "text", text: "no such file\n" }], true);
    const { exitCode, stdout, stderr } = await run(["call", "Probe"], { outcome });
    expect([exitCode, stdout, stderr]).toEqual([1, "no such file\n", ""]);
  });

  test.each([
    [{ kind: "fault", fault: { code: -32602, message: "bad" } } as const, "bad"],
    [{ kind: "cancelled" } as const, "The call was cancelled."],
  ])("%j exits with 1", async (outcome, message) => {
    const { exitCode, stdout, stderr } = await run(["call", "Probe"], { outcome });
    expect([exitCode, stdout, stderr]).toEqual([1, "", `scorpiox-code: error: ${message}\n`]);
  });

  test("names content that is not text", async () => {
    const outcome = resultOf([
      { type: "image", mimeType: "image/png", data: btoa("12345") },
      { type: "resource_link", uri: "file:///x", name: "x" },
      { type: "resource", resource: { uri: "a:b", text: "inside" } },
      { type: "resource", resource: { uri: "a:c", blob: "" } },
      { type: "hologram" },
    ]);
    const { stdout } = await run(["call", "Probe"], { outcome });
    expect(stdout).toBe(
      "[image/png, 5 bytes]\n[file:///x]\ninside\n[a:c]\n[content of an unknown kind]\n",
    );
  });

  test("asks for the data, which --json prints as a part of the result", async () => {
    const content = [{ type: "text", text: "done" }];
    const json = JSON.stringify({ content, isError: false });
    const outcome = { kind: "result", json, dataJson: '{"state":"running"}' } as const;
    const { stdout, stderr, calls } = await run(["call", "Probe", "--json"], { outcome });
    expect(calls.map(({ wantsData }) => wantsData)).toEqual([true]);
    const structuredContent = { state: "running" };
    expect(JSON.parse(stdout)).toEqual({ content, structuredContent, isError: false });
    expect(stderr).toStartWith("scorpiox-code: warning: The task ends with this command");
    expect((await run(["call", "Probe"], { outcome })).stdout).toBe("done\n");
  });

  test("--json prints the whole result", async () => {
    const { stdout } = await run(["call", "Probe", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      content: [{ type: "text", text: "done" }],
      isError: false,
    });
  });

  test("escapes text for a terminal, and gives it as it is to a pipe", async () => {
    const outcome = resultOf([{ type: "text", text: "a\u001b[2J\u202eb" }]);
    const shown = await run(["call", "Probe"], { outcome, terminals: ["stdout"] });
    const piped = await run(["call", "Probe"], { outcome });
    expect([shown.stdout, piped.stdout]).toEqual([
      "a\\u{1b}[2J\\u{202e}b\n",
      "a\u001b[2J\u202eb\n",
    ]);
  });

  test.each([
    [{ state: "running" }, "The task ends with this command"],
    [{ callbacks: [{}] }, "The callback ends with this command"],
    [{ state: "exited" }, undefined],
    [{ callbacks: [] }, undefined],
  ])("a result with %j: what it began ends with it", async (structuredContent, warning) => {
    const outcome: CallOutcome = {
      kind: "result",
      json: JSON.stringify({ content: [], structuredContent }),
    };
    const { stderr } = await run(["call", "Probe"], { outcome });
    expect(stderr).toBe(
      warning === undefined
        ? ""
        : `scorpiox-code: warning: ${warning}: tasks and callbacks of a client end with the client.\n`,
    );
  });

  test("works in --cwd, else in the current directory", async () => {
    const files = { "other/x": "" };
    const dirs = [];
    for (const argv of [[], ["--cwd", "../other"]]) {
      const { calls } = await run(["call", "Probe", ...argv], { files });
      dirs.push((await calls[0]?.client.workspaceDir())?.replace(/.*\//, ""));
    }
    expect(dirs).toEqual(["project", "other"]);
  });
});

describe("tools", () => {
  test("lists names and first sentences", async () => {
    const { exitCode, stdout, closed } = await run(["tools"]);
    expect([exitCode, stdout, closed]).toEqual([0, "  Probe  Tries things, e.g. this.\n", 1]);
  });

  test.each([
    ["--json", { tools: [probeTool] }],
    ["--format=mcp", [probeTool]],
  ])("%s prints what clients get", async (flag, expected) => {
    const { stdout } = await run(["tools", flag]);
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  test("escapes hostile names, also in JSON", async () => {
    const tools = [{ ...probeTool, name: "a\u001b]0;x\u0007\u{e0041}", description: "\u009b1m" }];
    const text = await run(["tools"], { tools });
    const json = await run(["tools", "--json"], { tools });
    expect(text.stdout).toBe("  a\\u{1b}]0;x\\u{7}\\u{e0041}  \\u{9b}1m\n");
    expect(json.stdout).toMatch(/^[\n -~]*$/);
    expect(JSON.parse(json.stdout)).toEqual({ tools });
  });
});
