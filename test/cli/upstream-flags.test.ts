import { expect, test } from "bun:test";

import type { UpstreamStart } from "../../src/upstream/config/upstream-start.ts";
import { run } from "./fake-io.ts";
import type { CommandRunInput } from "./fake-io.ts";

interface FlagCase extends CommandRunInput {
  readonly argv: string;
  readonly upstream: Partial<UpstreamStart>;
}

const cases: readonly FlagCase[] = [
  { argv: "serve", upstream: {} },
  { argv: "serve --defer off", upstream: { defer: "off" } },
  { argv: "serve --on-change warn", upstream: { onChange: "warn" } },
  { argv: "serve --trust-project", upstream: { trustsProject: true } },
  { argv: "serve", env: { SCORPIOX_TRUST_PROJECT: "yes" }, upstream: { trustsProject: true } },
  { argv: "serve", env: { SCORPIOX_TRUST_PROJECT: "0" }, upstream: {} },
  { argv: "serve", env: { SCORPIOX_TRUST_PROJECT: "what" }, upstream: {} },
  {
    argv: "serve",
    files: { "project/.scorpiox/scorpiox-env.txt": "SCORPIOX_TRUST_PROJECT=1\n" },
    upstream: {},
  },
  { argv: "serve", env: { SCORPIOX_DEPTH: "2" }, upstream: { isNested: true } },
  { argv: "serve --strict-config", upstream: { isStrict: true } },
];

test.each(cases)("$argv with $env", async ({ argv, upstream, ...input }) => {
  const { served } = await run(argv.split(" "), input);
  expect(served?.upstream).toEqual({
    configFiles: [],
    isStrict: false,
    defer: "auto",
    onChange: "block",
    trustsProject: false,
    isNested: false,
    ...upstream,
  });
});

test("--config names files of servers and of keys", async () => {
  const files = { "project/a.toml": "", "project/b": "{}", "project/c": "TOOLS=0\n" };
  const { served } = await run(
    ["serve", ...["a.toml", "b", "c"].flatMap((file) => ["--config", file])],
    { files },
  );
  expect(served?.upstream.configFiles.map((file) => file.split("/").at(-1))).toEqual([
    "a.toml",
    "b",
    "c",
  ]);
  expect([served?.config.problems, served?.config.settings.tools]).toEqual([[], false]);
});
