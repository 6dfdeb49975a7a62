import { expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { browserBounds } from "../../../src/web/browser/browser-bounds.ts";
import { isSandboxFailure, launchBrowser } from "../../../src/web/browser/launch-browser.ts";
import { BrowserHarness, browserPath, browserTest, browserTestMs } from "./browser-harness.ts";

test.each([
  [
    "[1:1:FATAL:zygote_host_impl_linux.cc(132)] No usable sandbox! If you are running on Ubuntu",
    true,
  ],
  ["Running as root without --no-sandbox is not supported. See https://crbug.com/638180.", true],
  ["The SUID sandbox helper binary was found, but is not configured correctly.", true],
  ["Failed to move to new namespace: PID namespaces supported", true],
  ["error while loading shared libraries: libnss3.so: cannot open shared object file", false],
  ["", false],
])("isSandboxFailure() of %j: %p", (words, expected) => {
  expect(isSandboxFailure(words)).toBe(expected);
});

browserTest(
  "launchBrowser() goes without a sandbox that the system denies, and says so",
  async () => {
    await using harness = new BrowserHarness();
    const path = join(harness.profilesDir, "wrapper");
    const script = [
      "#!/bin/sh",
      'case "$*" in *--no-sandbox*) exec "$REAL" "$@";; esac',
      'echo "[1:1:FATAL:zygote_host_impl_linux.cc(132)] No usable sandbox!" >&2; exit 1',
    ];
    writeFileSync(path, script.join("\n"));
    chmodSync(path, 0o755);
    const { env, instanceId, profilesDir } = harness.options();
    const running = await launchBrowser({
      path,
      profilesDir,
      owner: { pid: process.pid, instanceId },
      env: { ...env, REAL: browserPath, SCORPIOX_OWNER: instanceId },
      isSuperUser: false,
      guard: harness.guard,
      // How long a browser takes to start is not what this is about.
      bounds: { ...browserBounds, launchMsMax: browserTestMs },
    });
    try {
      expect(running.notes).toEqual([
        "The browser ran without its sandbox, because this system does not let it create one (user namespaces are disabled).",
      ]);
    } finally {
      await running.close();
    }
  },
  browserTestMs,
);
