import { expect, test } from "bun:test";

import { CommandLauncher } from "../../../src/commands/background/command-launcher.ts";
import { Orphanage } from "../../../src/commands/process/orphanage.ts";
import { Guardian } from "../../../src/commands/process/guardian.ts";

const spec = { commandText: "true", cwd: "/" };

test("CommandLauncher starts nothing once it is closed", () => {
  const orphanage = new Orphanage();
  const guardian = new Guardian("0".repeat(32), orphanage);
  const shell = { path: "/bin/bash", args: ["-c"], prefix: "" };
  const launcher = new CommandLauncher({
    instanceId: "0".repeat(32),
    orphanage,
    guardian,
    shell,
  });
  launcher[Symbol.dispose]();
  expect(() => launcher.launch(spec, {})).toThrow("shutting down");
  expect(() => launcher.launchProgram(["/bin/true"], spec, {})).toThrow("shutting down");
  expect([...launcher.live]).toEqual([]);
});
