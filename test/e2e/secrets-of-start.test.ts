import { expect, test } from "bun:test";

import { textOf } from "./harness/messages.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { testMsMax } from "./harness/platform.ts";

/** Never whole in a command, so that no command line has it. */
const [begin, end] = ["canary-of-", "the-start"];

const looks = [
  ["its own environment", `env | grep -c "${begin}""${end}" || true`],
  [
    "the environment of every process, as the kernel keeps it",
    `for f in /proc/[0-9]*/environ; do { tr '\\0' '\\n' < $f; } 2>/dev/null; done | grep -c "${begin}""${end}" || true`,
  ],
] as const;

test.skipIf(process.platform !== "linux")(
  "[team.secrets] [U-secrets] secrets of the start are in no environment that a command can read",
  async () => {
    using home = new TempFolder();
    await using server = new Server({
      home,
      env: {
        SECRETS_KEY: `${begin}${end}`,
        SCORPIOX_SHARED_URL_FILE: `/${begin}${end}`,
        CREDENTIALS_DIRECTORY: `/${begin}${end}`,
        KEPT: "kept",
      },
    });
    await server.initialize();
    for (const [what, command] of looks) {
      const reply = await server.call("Bash", { command });
      expect([what, textOf(reply).trim()]).toEqual([what, "0"]);
    }
    const names = "env | grep -E '^(SECRETS_KEY|STORE_URL|CREDENTIALS|KEPT)' || true";
    expect(textOf(await server.call("Bash", { command: names })).trim()).toBe("KEPT=kept");
  },
  testMsMax,
);
