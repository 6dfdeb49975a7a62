import { expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Orphanage } from "../../../src/commands/process/orphanage.ts";
import { countFamily } from "../../../src/commands/process/family.ts";

const hasProc = process.platform === "linux";

test.skipIf(!hasProc).each([
  [undefined, 3],
  [true, 2],
])("countFamily() leaves out what holds a sandbox: overseen %p", async (isOverseen, count) => {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-family-size-"));
  const holder = join(folder, "bwrap");
  copyFileSync(Bun.which("sleep") ?? "", holder);
  const script = `"${holder}" 300 & sleep 300 & echo up; wait`;
  const child = Bun.spawn(["bash", "-c", script], { detached: true, stdout: "pipe" });
  try {
    const reader = child.stdout.getReader();
    await reader.read();
    const family = { groupId: child.pid, mark: "none", ...(isOverseen && { isOverseen }) };
    const orphanage = new Orphanage();
    // A child has its program's name from its `exec` on.
    let seen = countFamily(orphanage, family);
    while (seen !== count) {
      await Bun.sleep(5);
      seen = countFamily(orphanage, family);
    }
    expect(seen).toBe(count);
  } finally {
    process.kill(-child.pid, "SIGKILL");
    rmSync(folder, { recursive: true });
  }
});

test.skipIf(!hasProc)("countFamily() counts no holder that ends while it looks", async () => {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-family-size-"));
  const holder = join(folder, "bwrap");
  copyFileSync(Bun.which("sleep") ?? "", holder);
  const script = `for i in {100..400}; do "${holder}" 0.$i & done; echo up; wait; read -r`;
  const child = Bun.spawn(["bash", "-c", script], {
    detached: true,
    stdin: "pipe",
    stdout: "pipe",
  });
  try {
    await child.stdout.getReader().read();
    const family = { groupId: child.pid, mark: "none", isOverseen: true };
    const orphanage = new Orphanage();
    // A child has its program's name from its `exec` on.
    while (countFamily(orphanage, family) !== 1) await Bun.sleep(1);
    const counts = new Set<number | undefined>();
    for (const end = performance.now() + 500; performance.now() < end;) {
      counts.add(countFamily(orphanage, family));
    }
    expect([...counts]).toEqual([1]);
  } finally {
    process.kill(-child.pid, "SIGKILL");
    rmSync(folder, { recursive: true });
  }
});
