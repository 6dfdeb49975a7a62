import { expect, test } from "bun:test";

import { notReadyText, stateCode } from "../../src/cli/state-words.ts";
import { statusLines } from "../../src/cli/status-lines.ts";
import type { ServerInfo } from "../../src/upstream/server-state.ts";
import { serverInfo } from "../upstream/server-info.ts";

const resting = serverInfo("one", {
  state: "cached",
  serverVersion: "1.2",
  tools: 1,
  prompts: 2,
});
const unknown = { era: null, protocolVersion: null, serverVersion: null } as const;

const rows: readonly [string, Partial<ServerInfo>, readonly string[]][] = [
  [
    "known from an earlier run",
    {},
    ["one: cached, version 1.2, MCP 2025-11-25, 1 tool, 2 prompts, 0 resources"],
  ],
  [
    "of a version that would be a line of its own",
    { serverVersion: "1\ntwo: ready" },
    ["one: cached, version 1\\u{a}two: ready, MCP 2025-11-25, 1 tool, 2 prompts, 0 resources"],
  ],
  [
    "at work",
    {
      state: "ready",
      pid: 7,
      starts: 2,
      blocked: { pending: 1, changed: 2, denied: 3 },
      calls: 1_200,
      failures: 2,
      resultBytes: 34_567,
      p50Ms: 5,
      p95Ms: 90,
      dropped: 1,
    },
    [
      "one: ready after 2 starts, process 7, version 1.2, MCP 2025-11-25, 1 tool, 1 needs approval, 2 changed, 3 denied, 2 prompts, 0 resources",
      "  1,200 calls, 2 failed, half of them within 5 ms, 95 % within 90 ms, 34,567 bytes of results, 1 message dropped",
    ],
  ],
  [
    "down, with what it wrote",
    { ...unknown, state: "backoff", reason: "No answer.", retryInMs: 2_500, stderr: ["a", "b"] },
    [
      "one: retrying",
      "  No answer.",
      "  next attempt in 2.5 s",
      "  It wrote to stderr:",
      "  | a",
      "  | b",
    ],
  ],
  [
    "down, with lines that look like ours",
    { ...unknown, state: "failed", reason: "It said:\ntwo: ready\r\nthree", stderr: ["three"] },
    ["one: failed", "  It said:\n    | two: ready\n    | three"],
  ],
];

test.each(rows)("a server that is %s", (_what, facts, lines) => {
  expect(statusLines({ ...resting, ...facts })).toEqual(lines);
});

const states: readonly [ServerInfo["state"], string | undefined, number][] = [
  ["ready", undefined, 0],
  ["cached", undefined, 0],
  ["disabled", undefined, 0],
  ["degraded", "degraded. Why.", 0],
  ["untrusted", "needs approval. Why.", 4],
  ["needs_auth", "needs login. Why.", 4],
  ["needs_config", "needs config. Why.", 12],
  ["starting", "starting (more: scorpiox-code mcp test one). Why.", 12],
  ["backoff", "retrying (more: scorpiox-code mcp test one). Why.", 12],
  ["failed", "failed (more: scorpiox-code mcp test one). Why.", 12],
  ["stopped", "stopped. Why.", 12],
];

test.each(states)("what a command says of a server that is %s", (state, text, code) => {
  const info = { ...resting, state, reason: "Why." };
  expect([notReadyText(info), stateCode(info)]).toEqual([text, code]);
});
