import { describe, expect, test } from "bun:test";
import { describeState, type BackgroundStatus } from "../../src/base/shown-state.ts";

const running: BackgroundStatus = {
  state: "running",
  exitCode: null,
  signal: null,
  endedBy: null,
  pid: 4242,
  runtimeMs: 3_210,
};

describe("describeState()", () => {
  const rows: [Partial<BackgroundStatus>, string][] = [
    [{}, "running for 3.2 s"],
    [{ state: "exited", exitCode: 0 }, "exited with code 0 after 3.2 s"],
    [{ state: "failed", exitCode: 2 }, "failed with exit code 2 after 3.2 s"],
    [{ state: "failed", signal: "SIGSEGV" }, "failed: ended by SIGSEGV after 3.2 s"],
    [
      { state: "killed", endedBy: "killed", signal: "SIGTERM" },
      "killed (by KillBgTask) after 3.2 s, by SIGTERM",
    ],
    [
      { state: "killed", endedBy: "cancelled", exitCode: 143 },
      "killed (its call was cancelled) after 3.2 s, exit code 143",
    ],
    [{ state: "killed", endedBy: "user" }, "killed (by the user, in a terminal) after 3.2 s"],
    [{ state: "killed", endedBy: "shutdown" }, "killed (the server was ending) after 3.2 s"],
    [
      { state: "timed_out", endedBy: "timeout", signal: "SIGKILL" },
      "timed out after 3.2 s, by SIGKILL",
    ],
    [{ state: "lost" }, "lost: it could not be ended (pid 4242)"],
  ];
  test.each(rows)("%j: %s", (part, text) => {
    expect(describeState({ ...running, ...part })).toBe(text);
  });
});
