import { expect, spyOn, test } from "bun:test";

import type { CallRequest } from "../../src/calls/call.ts";
import { CommandSandbox, type CommandSandboxParts } from "../../src/compose/sandbox.ts";

/** Without a sandbox of the user; plan mode cannot be read, and each look is counted. */
function sandboxWith(look: () => Promise<undefined>): CommandSandbox {
  const settings = { sandbox: { mode: "off", hasNetwork: true } };
  const parts = { start: { config: { settings } }, env: {}, activePlan: look };
  return new CommandSandbox(parts as unknown as CommandSandboxParts);
}

const newCall = (): CallRequest => ({ name: "Bash" }) as CallRequest;

test("CommandSandbox: one look for a call that soon has its Worker, another when it had to wait", async () => {
  let looks = 0;
  const sandbox = sandboxWith(async () => void looks++);
  const now = spyOn(performance, "now").mockReturnValue(1_000);
  try {
    const [call, other] = [newCall(), newCall()];
    sandbox.lookAhead(call);
    expect([await sandbox.forCommand(call, "/work"), looks]).toEqual([undefined, 1]);
    await sandbox.forCommand(other, "/work");
    expect(looks).toBe(2);
    now.mockReturnValue(1_005);
    await sandbox.forCommand(call, "/work");
    expect(looks).toBe(3);
  } finally {
    now.mockRestore();
  }
});

test("CommandSandbox: a command does not run when plan mode cannot be read, and a call without one is none the wiser", async () => {
  const sandbox = sandboxWith(() => Promise.reject(new Error("unreadable")));
  const call = newCall();
  sandbox.lookAhead(call);
  sandbox.lookAhead(newCall());
  await Promise.resolve();
  const failure = await sandbox.forCommand(call, "/work").catch((error: unknown) => error);
  expect(failure).toEqual(new Error("unreadable"));
});

test("CommandSandbox: bounds that were decided for one principal are not used for several", async () => {
  const own = { notes: ["own"] };
  const separation = {
    hasBegun: false,
    // The second principal comes while these are decided.
    async confine() {
      if (separation.hasBegun) return own;
      separation.hasBegun = true;
      return Promise.resolve(undefined);
    },
  };
  const settings = { sandbox: { mode: "off", hasNetwork: true } };
  const parts = { start: { config: { settings } }, env: {}, activePlan: () => undefined };
  const sandbox = new CommandSandbox({ ...parts, separation } as unknown as CommandSandboxParts);
  expect((await sandbox.forCommand(newCall(), "/work"))?.notes).toEqual(["own"]);
});
