import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

import { clustersFolder, hasPostgres, Postgres } from "./postgres.ts";

const folders = (): string[] =>
  readdirSync(clustersFolder).filter((name) => name.startsWith("scorpiox-postgres-"));

describe.skipIf(!hasPostgres)("Postgres", () => {
  test("what was committed survives a kill; nothing is left at the end", async () => {
    let folder = "";
    {
      await using postgres = await Postgres.start();
      folder = dirname(postgres.certificatePath);
      const before = postgres.client();
      await before`CREATE TABLE kept (x integer)`;
      await before`INSERT INTO kept VALUES (1)`;
      await postgres.kill();
      await before.close({ timeout: 0 });
      await postgres.start();
      const after = postgres.client();
      expect([...(await after`SELECT x FROM kept`)]).toEqual([{ x: 1 }]);
      await after.close();
    }
    expect(existsSync(folder)).toBe(false);
  });

  test("nothing is left of a test that was killed", async () => {
    const before = new Set(folders());
    const script = `import { Postgres } from ${JSON.stringify(join(import.meta.dir, "postgres.ts"))};
      const postgres = await Postgres.start(); console.log(postgres.port); await Bun.sleep(60_000);`;
    const dying = Bun.spawn([process.execPath, "-e", script], {
      stdout: "pipe",
      stderr: "inherit",
    });
    const { value } = await dying.stdout.getReader().read();
    const port = Number(new TextDecoder().decode(value));
    const mine = folders().filter((name) => !before.has(name));
    dying.kill("SIGKILL");
    await dying.exited;
    while (mine.some((name) => existsSync(join(clustersFolder, name)))) await Bun.sleep(20);
    const sql = new Bun.SQL(`postgres://x@127.0.0.1:${port}/x`, { max: 1 });
    expect(sql`SELECT 1`.execute()).rejects.toThrow();
    await sql.close({ timeout: 0 }).catch(() => undefined);
  });
});
