import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { BoundedServer, canBeSomebody, forkBomb, smallDisk } from "./harness/bounded-server.ts";
import { isError, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { shareOf } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);

/** Without bounds of somebody else's a bomb would be the machine's. */
const boundedTest = test.skipIf(!canBeSomebody);
const linuxTest = test.skipIf(process.platform !== "linux");

describe("what commands may take", () => {
  const bombs: [string, string][] = [
    ["400 sleepers", "for i in $(seq 400); do sleep 6 & done; wait"],
    ["a fork bomb", forkBomb],
  ];
  boundedTest.each(bombs)(
    "[commands.processes] %s: the server lives, and the next call is right",
    async (_name, command) => {
      await using bounded = new BoundedServer();
      const { server } = bounded;
      await server.initialize();
      const background = await server.call("BackgroundBash", { command });
      expect(isError(background)).toBe(false);
      const flood = server.call("Bash", { command, timeout: 2_000 });
      expect((await server.request("ping")).result).toEqual({});
      expect(textOf(await flood)).toContain("timed out");
      await server.call("KillBgTask", { task_id: 1 });
      expect(textOf(await server.call("Bash", { command: "(echo next)" }))).toBe("next\n");
    },
  );

  boundedTest("[commands.processes] what is kept from them cannot be taken back", async () => {
    await using bounded = new BoundedServer();
    const { server } = bounded;
    await server.initialize();
    const command = "ulimit -S -u; ulimit -H -u; ulimit -u 250 2>/dev/null || echo no";
    expect(textOf(await server.call("Bash", { command }))).toBe("125\n125\nno\n");
    // Each is started for its command, and looks before anything else is done.
    for (let task = 1; task <= shareOf(20); task++) {
      await server.call("BackgroundBash", { command });
      const read = server.call("ReadBgOutput", { task_id: task, wait_ms: 20_000 });
      expect(textOf(await read)).toContain("125\n125\nno\n");
    }
  });

  linuxTest("[commands.descriptors] are 4,096, and more for who asks", async () => {
    const wrap = ["sh", "-c", 'ulimit -n 9000; exec "$0" "$@"'];
    const command = "sleep 0.1; ulimit -S -n; ulimit -H -n; ulimit -S -n 9000 && ulimit -S -n";
    for (const SANDBOX of ["off", "read-only"]) {
      await using other = new Server({ wrap, env: { SANDBOX } });
      await other.initialize();
      const told = textOf(await other.call("Bash", { command }));
      expect([SANDBOX, told]).toEqual([SANDBOX, "4096\n9000\n9000\n"]);
    }
  });
});

const diskBytes = 16 * 1024 * 1024;
/** A machine may have bubblewrap and let nobody use it. */
const hasSmallDisk =
  Bun.which("bwrap") !== null && Bun.spawnSync([...smallDisk("/tmp", diskBytes), "true"]).success;

test.skipIf(!hasSmallDisk)(
  "[output.reserve] outputs that would fill the disk leave a part of it, and their commands go on",
  async () => {
    using home = new TempFolder();
    const results = home.folder(".scorpiox/results");
    await using server = new Server({ home, wrap: smallDisk(results, diskBytes) });
    await server.initialize();
    const flood = "head -c 12000000 /dev/zero | tr '\\0' x; echo; echo end";
    const texts = (
      await Promise.all([1, 2].map(() => server.call("Bash", { command: flood })))
    ).map(textOf);
    const ends = texts.map((text) => text.endsWith("\nend\n"));
    const notes = texts.flatMap((text) => text.match(/\(only its first [\d,]+ bytes .*?\)/g) ?? []);
    expect([ends, notes.map((note) => note.replace(/first [\d,]+/, "first N"))]).toEqual([
      [true, true],
      expect.arrayContaining([
        "(only its first N bytes were kept: the disk is nearly full, and 838,860 bytes of it must stay free)",
      ]) as never,
    ]);
    const disk = await server.call("Bash", { command: `stat -f -c '%a %S' '${results}'` });
    const [blocks = 0, size = 0] = textOf(disk).split(" ").map(Number);
    expect(blocks * size).toBeGreaterThanOrEqual(838_860);
  },
);
