import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import * as limits from "../../../../src/base/limits.ts";
import { productEvents } from "../../../../src/calls/policy/hooks/hook.ts";

const page = readFileSync(join(import.meta.dir, "../../../../docs/hooks.md"), "utf8");

test("docs/hooks.md has a row for each event of the product", () => {
  const rows = [...page.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name]) => name);
  expect(productEvents.filter((name) => !rows.includes(name))).toEqual([]);
});

test.each([
  [
    `more than ${limits.hookArgumentBytesMax / 1024} KiB (on Windows ${limits.hookArgumentCharsWindowsMax / 1024} KiB`,
  ],
  [`Below ${limits.hookDepthMax} of them`],
  [`${limits.hookReasonCharsMax.toLocaleString("en")} characters at most`],
  [`one file of ${limits.hookFileBytesMax / 1024 / 1024} MiB`],
  [`\`session_end\` get ${limits.hookEndMsMax / 1000} s`],
  [
    `${limits.hooksRunningMax} hooks that a call waits for, ${limits.hooksRunningMax} of \`session_end\` and ${limits.hooksRunningMax} others`,
  ],
  [`When ${limits.hooksWaitingMax.toLocaleString("en")} wait`],
  [`${limits.hookOutputBytesMax / 1024} KiB of the output`],
  [`has ${limits.hooksPerEventMax.toLocaleString("en")} files at most`],
  [`up to ${limits.hookLogOutputCharsMax / 1024} KiB of its output`],
  [`at ${limits.hookLogBytesMax / 1024 / 1024} MiB`],
  [`after ${limits.sessionFolderAgeMsMax / 86_400_000} days`],
  [`running for ${limits.agentIdleMs / 1000} s`],
])("docs/hooks.md says: %s", (text) => {
  expect(page.replaceAll(/\s+/g, " ")).toContain(text);
});
