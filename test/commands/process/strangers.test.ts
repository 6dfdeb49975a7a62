import { expect, test } from "bun:test";

import { isProcessAlive } from "../../../src/commands/process/processes.ts";

const fixture = (name: string): string => new URL(`./fixtures/${name}`, import.meta.url).pathname;

test.skipIf(process.platform !== "linux")(
  "Orphanage leaves children from before us alone",
  async () => {
    const script = 'sleep 30 >/dev/null & exec "$1" "$2"';
    const argv = ["/bin/sh", "-c", script, "sh", process.execPath, fixture("strangers.ts")];
    const child = Bun.spawn(argv, { stdout: "pipe", detached: true });
    const said: unknown = JSON.parse(await child.stdout.text().then((text) => text.trim()));
    process.kill(-child.pid, "SIGKILL");
    expect(said).toEqual({ hasStranger: true, claimed: 0, strays: 0 });
  },
);

test.skipIf(process.platform !== "linux")(
  "Orphanage leaves a spared child alone, as long as that is spared",
  async () => {
    const child = Bun.spawn([process.execPath, fixture("spared.ts")], { stdout: "pipe" });
    expect(JSON.parse(await child.stdout.text())).toEqual({
      spared: [false, 0, 0],
      after: [true, 1],
    });
  },
);

const nobody = 65_534;
const mayBecomeNobody =
  process.getuid?.() === 0 &&
  Bun.spawnSync([process.execPath, "--version"], { uid: nobody, stderr: "ignore" }).success;

test.skipIf(!mayBecomeNobody)(
  "isProcessAlive() sees a process that we may not signal",
  async () => {
    const script = `const { isProcessAlive } = await import(${JSON.stringify(
      new URL("../../../src/commands/process/processes.ts", import.meta.url).pathname,
    )}); console.log(isProcessAlive(${process.pid}), isProcessAlive(4194303));`;
    const child = Bun.spawn([process.execPath, "-e", script], { uid: nobody, stdout: "pipe" });
    expect((await child.stdout.text()).trim()).toBe("true false");
    expect(isProcessAlive(process.pid)).toBe(true);
  },
);
