import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";

import { leaveStarter } from "../../../src/hub/link/start-hub.ts";
import { until } from "../../commands/process/until.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";

/** A program that writes down how it was called. */
function fakeBusctl(home: TempFolder): string {
  const script = `#!/bin/sh\n{ printf '%s\\n' "$@"; env | grep -v ^PWD= | sort; } > ${home.at("draft")}\nmv ${home.at("draft")} ${home.at("called")}\n`;
  return home.write("busctl", script, 0o700);
}

test.skipIf(process.platform !== "linux")(
  "leaveStarter() has the user's manager move the hub into a scope of its own",
  async () => {
    using home = new TempFolder();
    const program = fakeBusctl(home);
    home.write("runtime/systemd/private", "");
    const env = { XDG_RUNTIME_DIR: home.at("runtime"), SECRET: "hunter2" };
    leaveStarter(4711, "hub-0a-0b", env, program);
    await until(() => existsSync(home.at("called")));
    expect(readFileSync(home.at("called"), "utf8").trimEnd().split("\n")).toEqual([
      "--user",
      "--timeout=2",
      "call",
      "org.freedesktop.systemd1",
      "/org/freedesktop/systemd1",
      "org.freedesktop.systemd1.Manager",
      "StartTransientUnit",
      "ssa(sv)a(sa(sv))",
      "scorpiox-hub-0a-0b-4711.scope",
      "fail",
      "1",
      "PIDs",
      "au",
      "1",
      "4711",
      "0",
      `XDG_RUNTIME_DIR=${home.at("runtime")}`,
    ]);
  },
);
