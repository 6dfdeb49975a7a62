import { describe, expect, test } from "bun:test";

import { AppError } from "../../../src/base/errors.ts";
import { consentShownCharsMax } from "../../../src/base/limits.ts";
import { InputNeeded } from "../../../src/calls/ask-client.ts";
import type { Refusal } from "../../../src/calls/gate/gate-stage.ts";
import type { QuestionsReply } from "../../../src/tools/state-services.ts";
import { StageHarness } from "./stage-harness.ts";

const answered = (label: string): QuestionsReply => ({
  outcome: "answered",
  rung: "elicitation",
  answers: [{ labels: [label], other: null }],
});

const askLs = { tool: "Bash", match: "ls", action: "ask", reason: "lists are private" };

describe("PolicyStage", () => {
  test.each<[string, readonly object[], Parameters<StageHarness["request"]>[1], boolean]>([
    ["no rule", [], { name: "mcp__a__b", args: {} }, false],
    ["a rule of another tool", [askLs], { name: "mcp__a__b", args: {} }, false],
    ["a rule of this tool", [{ tool: "mcp__a__*", action: "ask" }], { name: "mcp__a__b" }, true],
    ["a rule of all tools", [{ tool: "*", action: "ask" }], { name: "mcp__a__b" }, true],
    ["a command, of which there are cautions", [], {}, true],
  ])("mayObject(): %s", (_about, rules, more, expected) => {
    const harness = new StageHarness(rules, true);
    expect(harness.stage.mayObject(harness.request("ls", more))).toBe(expected);
  });

  test("says so at once when nothing is against it", () => {
    const harness = new StageHarness([], true);
    expect(harness.stage.check(harness.request("ls | wc"))).toBeUndefined();
    expect(
      harness.stage.check(harness.request("", { name: "WebSearch", args: { query: "x" } })),
    ).toBeUndefined();
  });

  test("refuses what is denied, with the rule and its reason", async () => {
    const harness = new StageHarness([{ ...askLs, action: "deny" }]);
    expect(await harness.check("ls")).toEqual({
      decision: "denied",
      text: "Bash was not run: rule 1 of P: lists are private. The rules of the user or the project forbid it. Do not try to reach the same in another way: tell the user what you need it for.",
    });
    expect(harness.asked).toEqual([]);
  });

  test("asks with the exact command, the folder and the sandbox", async () => {
    const harness = new StageHarness([askLs]);
    await harness.check("ls \u202E\u001b[2J  -la");
    expect(harness.asked).toEqual([
      "consent: Run this command with Bash?\n\nFolder: /work\nSandbox: none, it may do all that you may\nAsked because of: rule 1 of P\nReason: lists are private\n\nCommand (1 line, 13 characters):\n│ ls \\u{202e}\\u{1b}[2J  -la",
    ]);
  });

  test("all reasons are told, the worst first, in the question and in the refusal", async () => {
    const harness = new StageHarness([{ ...askLs, match: "curl" }], true);
    const refusal = await harness.check("curl x | sh; mkfs.ext4 y; rm -rf /");
    expect(harness.asked[0]?.split("\n").slice(4, 10)).toEqual([
      "Asked because of:",
      "1. built-in caution: it makes a new file system",
      "2. built-in caution: it deletes a whole system or home folder",
      "3. built-in caution: it runs what it has just downloaded",
      "4. rule 1 of P: lists are private",
      "5. rule 1 of P: cannot determine what the command runs: a shell that reads its commands from elsewhere",
    ]);
    expect(refusal?.text).toStartWith(
      "Bash was not run: built-in caution: it makes a new file system; " +
        "built-in caution: it deletes a whole system or home folder; " +
        "built-in caution: it runs what it has just downloaded; rule 1 of P: lists are private; ",
    );
  });

  test("reasons are bounded", async () => {
    const many = Array.from({ length: 44 }, (_, index) => ({
      ...askLs,
      reason: `reason ${index}`,
    }));
    const harness = new StageHarness(many);
    await harness.check("ls");
    expect(harness.asked[0]?.split("\n").slice(44, 46)).toEqual([
      "40. rule 40 of P: reason 39",
      "and 4 more",
    ]);
  });

  test("consent to a command in a sandbox is none to the same without it", async () => {
    const harness = new StageHarness([askLs]);
    harness.reply = answered("Allow for this session");
    harness.sandbox = "read-only, because plan mode is on (bubblewrap)";
    expect([await harness.call("ls"), await harness.call("ls")]).toEqual(["session", "earlier"]);
    expect(harness.asked[0]).toContain(
      "\nSandbox: read-only, because plan mode is on (bubblewrap)\n",
    );
    harness.sandbox = undefined;
    harness.reply = { outcome: "unavailable" };
    expect(await harness.call("ls")).toBe("denied");
  });

  test.each<[number, boolean]>([
    [consentShownCharsMax, false],
    [consentShownCharsMax + 1, true],
  ])("a command of %d characters is cut: %p, and says so", async (length, isCut) => {
    const harness = new StageHarness([askLs]);
    await harness.check("ls ".padEnd(length, "x"));
    expect(harness.asked[0]?.includes("not shown here")).toBe(isCut);
  });

  test.each<[QuestionsReply, string, string]>([
    [{ outcome: "declined", rung: "elicitation" }, "denied", "said no"],
    [{ outcome: "cancelled", rung: "elicitation" }, "denied", "said no"],
    [answered("Deny"), "denied", "said no"],
    [answered("allow once"), "denied", "said no"],
    [{ outcome: "timed_out", rung: "terminal" }, "denied", "did not answer in time"],
    [{ outcome: "unavailable" }, "denied", "this client cannot ask the user"],
    [{ outcome: "pending", rung: "page", questionId: "1" }, "pending", "Make the same call again"],
  ])("%j: %s", async (reply, decision, text) => {
    const harness = new StageHarness([askLs]);
    harness.reply = reply;
    expect(await harness.check("ls")).toEqual({
      decision,
      text: expect.stringContaining(text),
    } as Refusal);
  });

  test("who is asked for a built-in caution is told which key it hangs on", async () => {
    const harness = new StageHarness([], true);
    expect((await harness.check("git push --force"))?.text).toContain("POLICY_CAUTIONS=false");
    expect(await harness.check("rm -rf build/")).toBeUndefined();
  });

  test("allowed once is asked again; for the session it holds for the same client, tool, command and folder", async () => {
    const harness = new StageHarness([{ ...askLs, tool: "*" }]);
    harness.reply = answered("Allow once");
    expect([await harness.call("ls"), await harness.call("ls")]).toEqual(["once", "once"]);
    harness.reply = answered("Allow for this session");
    expect(await harness.call("ls")).toBe("session");
    harness.reply = { outcome: "unavailable" };
    expect(await harness.call("ls", { args: { command: "ls", timeout: 5 } })).toBe("earlier");
    const others = [
      harness.call("ls -a"),
      harness.call("ls", { folder: "/other" }),
      harness.call("ls", { clientId: "d" }),
      harness.call("ls", { name: "BackgroundBash" }),
    ];
    expect(await Promise.all(others)).toEqual(["denied", "denied", "denied", "denied"]);
  });

  test("a call that does not go through leaves nothing behind: its retry is asked the same again", async () => {
    const harness = new StageHarness([askLs]);
    harness.reply = answered("Allow for this session");
    const call = harness.request("ls");
    expect(await harness.stage.check(call)).toBeUndefined();
    harness.stage.ended(call, { decision: "allowed", outcome: "input-required", durationMs: 1 });
    expect([await harness.call("ls"), await harness.call("ls")]).toEqual(["session", "earlier"]);
    expect(harness.asked).toHaveLength(2);
  });

  test("InputNeeded passes; who cannot be asked has not agreed", async () => {
    const harness = new StageHarness([askLs]);
    harness.reply = new InputNeeded({}, "state");
    expect(harness.check("ls")).rejects.toBeInstanceOf(InputNeeded);
    harness.reply = new AppError("unsupported", "no");
    expect(await harness.check("ls")).toMatchObject({ decision: "denied" });
  });

  test("what cannot be judged is not done", async () => {
    const harness = new StageHarness([{ tool: "Bash", match: "ls", action: "deny" }]);
    expect(await harness.check("ls", { folder: "relative" })).toEqual({
      decision: "denied",
      text: "Not run: the rules could not be applied to it: The workspace folder is not an absolute path: relative",
    });
  });

  test("a broken file asks about what it may be about", async () => {
    const harness = new StageHarness([{ tool: "Bash", action: "nein" }]);
    expect((await harness.check("true"))?.text).toContain(
      "a policy file is broken (P: rule 1 of P: action must be one of",
    );
    expect(await harness.check("", { name: "WebSearch", args: {} })).toBeUndefined();
  });
});
