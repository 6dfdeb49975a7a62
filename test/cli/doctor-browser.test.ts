import { chmodSync } from "node:fs";
import { describe, expect, test } from "bun:test";

import { TempTree } from "../config/temp-tree.ts";
import { run, runIn } from "./fake-io.ts";

describe.skipIf(process.platform === "win32")("doctor browser", () => {
  const withBrowser = (): TempTree => {
    const tree = new TempTree({ "tools/chromium": "#!/bin/sh\n", "tools/plain": "" });
    chmodSync(tree.path("tools/chromium"), 0o755);
    return tree;
  };

  test("prints the browser of PATH and what was tried before it", async () => {
    using tree = withBrowser();
    const env = { PATH: tree.path("tools") };
    const { exitCode, stdout } = await runIn(tree, ["doctor", "browser"], { env });
    expect([exitCode, stdout]).toEqual([
      0,
      "    tools/google-chrome-stable  PATH\n" +
        "    tools/google-chrome         PATH\n" +
        "  * tools/chromium              PATH\n" +
        "\nReadDocs uses tools/chromium.\n",
    ]);
  });

  test("--json prints the same as data", async () => {
    using tree = withBrowser();
    const path = tree.path("tools/chromium");
    const env = { CHROME_PATH: path };
    const { stdout } = await runIn(tree, ["doctor", "browser", "--json"], { env });
    const found = { found: "tools/chromium", from: "CHROME_PATH", isSnap: false };
    expect(JSON.parse(stdout)).toEqual({
      ...found,
      tried: [{ path: "tools/chromium", from: "CHROME_PATH" }],
    });
  });

  test("says what is wrong with the chosen one, and exits with 1", async () => {
    using tree = withBrowser();
    const env = { SCORPIOX_CHROME: tree.path("tools/plain") };
    const { exitCode, stdout } = await runIn(tree, ["doctor", "browser"], { env });
    expect([exitCode, stdout]).toEqual([
      1,
      "SCORPIOX_CHROME names tools/plain, which is not an executable file. No other place is searched.\n",
    ]);
  });

  test("takes no arguments", async () => {
    expect((await run(["doctor", "browser", "x"])).exitCode).toBe(2);
  });
});
