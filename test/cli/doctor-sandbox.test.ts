import { expect, test } from "bun:test";

import type { SandboxReport } from "../../src/commands/sandbox/notes.ts";
import { run } from "./fake-io.ts";

const refused: SandboxReport = {
  settings: { mode: "read-only", hasNetwork: false, writable: ["/a"], backend: "landlock" },
  trials: [
    { name: "landlock", hasNetwork: true, problem: undefined },
    { name: "landlock", hasNetwork: false, problem: "it cannot" },
  ],
  used: null,
  refusal: "Refused.",
  planMode: ["One.", "Two."],
};
const used: SandboxReport = { ...refused, used: "landlock", refusal: null };

test.each([
  [
    undefined,
    1,
    "scorpiox-code has no sandbox for this operating system.",
    "commands run without a sandbox.",
  ],
  [refused, 1, "  landlock, without the network  it cannot", "commands are refused. Refused."],
  [used, 0, "  landlock, with the network     works", "commands run in landlock."],
])("doctor sandbox: %#", async (sandbox, code, line, fate) => {
  const { exitCode, stdout } = await run(
    ["doctor", "sandbox"],
    sandbox === undefined ? {} : { sandbox },
  );
  expect(exitCode).toBe(code);
  expect(stdout.split("\n")).toContain(line);
  expect(stdout).toContain(fate);
});

test("doctor sandbox --json", async () => {
  const { exitCode, stdout } = await run(["doctor", "sandbox", "--json"], { sandbox: refused });
  expect([exitCode, JSON.parse(stdout)]).toEqual([
    1,
    {
      settings: { mode: "read-only", network: "off", write: ["/a"], backend: "landlock" },
      sandboxes: [
        { name: "landlock", network: "on", works: true, problem: null },
        { name: "landlock", network: "off", works: false, problem: "it cannot" },
      ],
      used: null,
      refusal: "Refused.",
      planMode: ["One.", "Two."],
    },
  ]);
});
