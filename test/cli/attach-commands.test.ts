import { expect, test } from "bun:test";

import { run } from "./fake-io.ts";

test.each([
  [["bg", "list"], "", "scorpiox-code: No server is running.\n"],
  [["bg", "list", "--json"], '{\n  "tasks": []\n}\n', "scorpiox-code: No server is running.\n"],
  [["callbacks", "list"], "", "scorpiox-code: No server is running.\n"],
  [
    ["callbacks", "list", "--json"],
    '{\n  "callbacks": []\n}\n',
    "scorpiox-code: No server is running.\n",
  ],
])("%p without a server", async (argv, stdout, stderr) => {
  expect(await run(argv)).toMatchObject({ exitCode: 0, stdout, stderr });
});

test.each([
  ["stdin is no terminal", ["stdout"], {}, "needs a terminal"],
  ["stdout is no terminal", ["stdin"], {}, "needs a terminal"],
  ["it cannot be drawn on", ["stdin", "stdout"], { TERM: "dumb" }, "TERM=dumb"],
  ["nobody knows what it is", ["stdin", "stdout"], {}, "TERM="],
] as const)("attach: %s", async (_, terminals, env, reason) => {
  const { exitCode, stdout, stderr } = await run(["attach"], { terminals, env });
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(reason);
});
