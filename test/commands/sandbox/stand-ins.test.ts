import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { isStandIn, StandIns } from "../../../src/commands/sandbox/stand-ins.ts";
import { loadLibc } from "../../../src/commands/process/libc.ts";
import { within } from "../../e2e/harness/conditions.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";

const libc = loadLibc();
const holder = join(import.meta.dir, "fixtures/hold-stand-in.ts");
const server = (): StandIns =>
  new StandIns({
    share: (fd) => libc?.lockFile(fd, false) ?? true,
    takeAlone: (fd) => libc?.lockFile(fd, true) ?? true,
  });

describe.skipIf(libc === undefined)("StandIns", () => {
  test.each(["file", "folder"] as const)(
    "a %s is there for as long as it is held",
    async (kind) => {
      using folder = new TempFolder();
      const path = folder.at("name");
      const standIns = server();
      expect(await Promise.all([1, 2].map(() => standIns.hold({ path, kind })))).toEqual([
        "held",
        "held",
      ]);
      expect([await isStandIn(path), statSync(path).isDirectory()]).toEqual([
        true,
        kind === "folder",
      ]);
      await standIns.release(path);
      expect(existsSync(path)).toBe(true);
      await standIns.release(path);
      expect(readdirSync(folder.path)).toEqual([]);
    },
  );

  test("two servers share one: the last of them removes it", async () => {
    using folder = new TempFolder();
    const name = { path: folder.at("name"), kind: "folder" } as const;
    const [one, other] = [server(), server()];
    expect([await one.hold(name), await other.hold(name)]).toEqual(["held", "held"]);
    await one.release(name.path);
    expect(existsSync(name.path)).toBe(true);
    await other.release(name.path);
    expect(existsSync(name.path)).toBe(false);
  });

  test("servers that come and go at the same time never lose one", async () => {
    using folder = new TempFolder();
    const names = (["file", "folder"] as const).map((kind) => ({ path: folder.at(kind), kind }));
    const lost: string[] = [];
    const comeAndGo = async (standIns: StandIns): Promise<void> => {
      for (let round = 0; round < 40; round++) {
        for (const name of names) {
          const holding = await standIns.hold(name);
          await Bun.sleep(Math.random() * 2);
          if (holding !== "held" || !(await isStandIn(name.path))) lost.push(holding);
          await standIns.release(name.path);
        }
      }
    };
    await Promise.all(Array.from({ length: 4 }, () => comeAndGo(server())));
    expect([lost, readdirSync(folder.path)]).toEqual([[], []]);
  });

  test("what a server that was killed left is taken over and removed", async () => {
    using folder = new TempFolder();
    const name = { path: folder.at("name"), kind: "file" } as const;
    const holding = Bun.spawn([process.execPath, holder, name.path], { stdout: "pipe" });
    await within("it is held", 5_000, holding.stdout.getReader().read());
    holding.kill("SIGKILL");
    await holding.exited;
    expect(await isStandIn(name.path)).toBe(true);
    const next = server();
    expect(await next.hold(name)).toBe("held");
    await next.release(name.path);
    expect(existsSync(name.path)).toBe(false);
  });

  test("what is somebody's is left alone, at first and at the end", async () => {
    using folder = new TempFolder();
    const standIns = server();
    const theirs = folder.write("theirs", "");
    expect(await standIns.hold({ path: theirs, kind: "file" })).toBe("there");
    await standIns.release(theirs);
    const filled = folder.at("filled");
    await standIns.hold({ path: filled, kind: "folder" });
    writeFileSync(folder.at("filled", "x"), "");
    await standIns.release(filled);
    const replaced = folder.at("replaced");
    await standIns.hold({ path: replaced, kind: "file" });
    rmSync(replaced);
    mkdirSync(replaced);
    await standIns.release(replaced);
    expect(readdirSync(folder.path).sort()).toEqual(["filled", "replaced", "theirs"]);
  });

  test("where nothing can be made there is nothing to hold", async () => {
    const path = "/proc/nothing/here";
    expect(await server().hold({ path, kind: "file" })).toBe("impossible");
  });
});
