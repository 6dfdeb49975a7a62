import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { BrowserProcess } from "../../../src/web/browser/browser-process.ts";
import { removeProfile } from "../../../src/web/browser/profile-folder.ts";
import { eventually } from "../../e2e/harness/conditions.ts";
import { processesWith } from "../../e2e/harness/processes.ts";

/** A browser whose helper outlives it and keeps on writing to the profile, as one under load does for seconds. */
const withHelper = 'sh -c "while :; do mkdir -p $0/a/b; true >$0/a/b/file; done" "$0" & wait';

test.skipIf(process.platform === "win32").each([
  ["is killed", (browser: BrowserProcess) => process.kill(browser.pid, "SIGKILL")],
  ["is ended by force", (browser: BrowserProcess) => browser.kill()],
])("BrowserProcess that %s leaves no helper and no profile behind", async (_name, strike) => {
  const parent = mkdtempSync(join(tmpdir(), "scorpiox-browser-process-"));
  try {
    const profile = mkdtempSync(join(parent, "profile-"));
    const browser = new BrowserProcess({
      path: "/bin/sh",
      args: ["-c", withHelper, profile],
      env: { PATH: Bun.env["PATH"] ?? "" },
    });
    await eventually("helper writes", () => readdirSync(profile).length > 0);
    strike(browser);
    await browser.ended;
    await removeProfile(profile);
    await eventually("helper gone", () => processesWith(profile).length === 0);
    expect(readdirSync(parent)).toEqual([]);
    browser.transport.close();
  } finally {
    for (const { pid } of processesWith(parent)) process.kill(pid, "SIGKILL");
    rmSync(parent, { recursive: true, force: true });
  }
});
