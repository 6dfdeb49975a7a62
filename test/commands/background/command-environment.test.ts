import { expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { CommandEnvironment } from "../../../src/commands/background/command-environment.ts";
import { SupervisorHarness } from "./supervisor-harness.ts";

const environmentWith = (harness: SupervisorHarness, shell: string | null): CommandEnvironment =>
  new CommandEnvironment({
    launcher: harness.launcher,
    env: { PATH: "/venv:/bin:/usr/bin", SCORPIOX_TOKEN: "secret" },
    user: { name: "ann", homeDir: harness.folder, shell },
  });

test("CommandEnvironment asks the login shell once and completes PATH with its answer", async () => {
  await using harness = new SupervisorHarness();
  const shell = join(harness.folder, "loginsh");
  const log = join(harness.folder, "log");
  const body = `for script; do :; done; echo asked >> ${log}; PATH=/login:/bin sh -c "$script"`;
  writeFileSync(shell, `#!/bin/sh\n${body}\n`);
  chmodSync(shell, 0o755);
  const environment = environmentWith(harness, shell);
  const [first, second] = await Promise.all([environment.get(), environment.get()]);
  expect(second).toBe(first);
  expect(await environment.get()).toBe(first);
  expect(first).toEqual({
    PATH: "/venv:/usr/bin:/login:/bin",
    HOME: harness.folder,
    USER: "ann",
    LOGNAME: "ann",
    SHELL: shell,
  });
  expect(readFileSync(log, "utf8")).toBe("asked\n");
});

test.each([null, "/nowhere/shell"])(
  "CommandEnvironment with the login shell %p has our own PATH",
  async (shell) => {
    await using harness = new SupervisorHarness();
    const { PATH } = await environmentWith(harness, shell).get();
    expect(PATH).toBe("/venv:/bin:/usr/bin");
  },
);
