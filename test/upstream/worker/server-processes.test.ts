import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { readProcStat } from "../../../src/commands/process/processes.ts";
import { spawnRelayed } from "../../../src/upstream/process/server-processes.ts";
import { until } from "../../commands/process/until.ts";
import { ScriptedUpstreams } from "./scripted-upstreams.ts";
import { atThisLoad } from "../../fixtures/at-this-load.ts";
import { shareOf } from "../../fixtures/long-run.ts";

const isLinux = process.platform === "linux";

test("a server is spoken to over its pipes, gets descriptors 0 to 2 only, and its own group", async () => {
  await using upstreams = new ScriptedUpstreams();
  const pid = String(await upstreams.start("exec cat"));
  expect(await upstreams.call("talk", { text: "ä\u2028ö" })).toBe("ä\u2028ö");
  if (!isLinux) return;
  expect(readdirSync(`/proc/${pid}/fd`).sort()).toEqual(["0", "1", "2"]);
  expect(readProcStat(Number(pid))).toMatchObject({ groupId: Number(pid) });
});

test("[GW-33] its environment is the base set and its own, not ours", async () => {
  await using upstreams = new ScriptedUpstreams();
  await upstreams.start("env | cut -d= -f1 | sort | tr '\\n' ' '; echo", { env: { LOG: "warn" } });
  expect(await upstreams.call("line")).toBe(
    "HOME LOG LOGNAME PATH PWD SCORPIOX_DEPTH SCORPIOX_OWNER USER",
  );
});

test("what it writes before it ends is read, and how it ended is told", async () => {
  await using upstreams = new ScriptedUpstreams();
  await upstreams.start("head -c 300000 /dev/zero; exit 3");
  expect(await upstreams.call("bytes")).toBe(300_000);
  expect(await upstreams.call("ended")).toEqual({ exitCode: 3, signal: null });
});

test("one that does not read holds up nobody, and what waits for it fails when it ends", async () => {
  await using upstreams = new ScriptedUpstreams();
  await upstreams.start("sleep 0.3");
  const writing = upstreams.call("write", { bytes: 1_000_000 });
  expect(await upstreams.call("echo", { value: "at once" })).toBe("at once");
  expect(await writing).toMatch(/^The server scripted does not read: (it has ended|EPIPE.*)\.$/);
});

test("what waits for one that does not read is bounded", async () => {
  await using upstreams = new ScriptedUpstreams();
  const pid = Number(await upstreams.start("exec sleep 60"));
  const first = upstreams.call("write", { bytes: 60_000_000 });
  await upstreams.call("echo");
  expect(await upstreams.call("write", { bytes: 20_000_000 })).toBe(
    "The server scripted does not read: 57 MiB wait for it already. Restart it.",
  );
  process.kill(pid);
  await first;
});

describe("[GW-35] stderr", () => {
  test("its last lines are at hand, and all of it is in a private log, secrets taken out", async () => {
    await using upstreams = new ScriptedUpstreams();
    const script =
      "for i in $(seq 30); do echo line $i s3cret >&2; done; printf '\\033[31mred' >&2; cat";
    await upstreams.start(script, { secret: "s3cret" });
    await upstreams.call("note", { line: "not JSON" });
    let tail: string[] = [];
    while (!String(tail.at(-1)).includes("red"))
      tail = (await upstreams.call("stderr")) as string[];
    expect(tail.length).toBe(20);
    expect(tail[0]).toBe("line 12 ***");
    await upstreams.call("stop");
    const file = join(upstreams.dir, "logs/mcp-scripted.log");
    const read = (): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
    await until(() => read().includes("red"));
    expect(read()).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z stderr line 1 \*\*\*\n/m);
    expect(read()).toContain(" note not JSON\n");
    expect(read()).toContain("\\u{1b}[31mred\n");
    expect(read()).not.toContain("s3cret");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(upstreams.dir, "logs")).mode & 0o777).toBe(0o700);
  });

  test("a flood costs neither memory nor disk", async () => {
    const bytesSent = shareOf(200_000_000);
    await using upstreams = new ScriptedUpstreams();
    const flood = async (bytes: number): Promise<void> => {
      await upstreams.start(
        `yes 0123456789012345678901234567890123456789 | head -c ${bytes} >&2; echo done; cat`,
      );
      expect(await upstreams.call("line")).toBe("done");
    };
    await upstreams.call("echo");
    // The engine's own pools grow with the first megabytes.
    await flood(bytesSent / 4);
    const before = process.memoryUsage.rss();
    await flood(bytesSent);
    expect(process.memoryUsage.rss() - before).toBeLessThan(bytesSent / 2 + 50e6);
    const dir = join(upstreams.dir, "logs");
    // A file may take another's name while this looks.
    const bytesOf = (name: string): number =>
      statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0;
    const bytes = readdirSync(dir).reduce((sum, name) => sum + bytesOf(name), 0);
    expect(readdirSync(dir).length).toBeLessThanOrEqual(3);
    expect(bytes).toBeLessThan(36 * 1024 * 1024);
  });
});

describe("[GW-12] stopping", () => {
  test("one that ends with its input is not signalled", async () => {
    await using upstreams = new ScriptedUpstreams();
    await upstreams.start("trap 'echo TERM >&2; exit 9' TERM; cat; exit 5");
    await upstreams.call("talk", { text: "up" });
    await upstreams.call("stop");
    expect(await upstreams.call("ended")).toEqual({ exitCode: 5, signal: null });
  });

  test("one that ignores the end of its input is asked after 2 s", async () => {
    await using upstreams = new ScriptedUpstreams();
    await upstreams.start("trap 'exit 9' TERM; echo up; while :; do sleep 0.05; done");
    await upstreams.call("line");
    const ms = Number(await upstreams.call("stop"));
    expect(ms).toBeGreaterThan(1_900);
    expect(ms).toBeLessThan(atThisLoad(3_500));
    expect(await upstreams.call("ended")).toEqual({ exitCode: 9, signal: null });
  });

  test("at the end of everything one that ignores TERM, and its grandchild, are gone", async () => {
    const upstreams = new ScriptedUpstreams();
    const marker = String(200_000 + Math.floor(Math.random() * 100_000));
    const script = `trap '' TERM; setsid sh -c "trap '' TERM; sleep ${marker}; :" & echo up; while :; do sleep ${marker}; done`;
    await upstreams.start(script);
    await upstreams.call("line");
    const sleeping = (): number =>
      commandsWith(marker).filter((command) => command.startsWith("sleep")).length;
    if (isLinux) await until(() => sleeping() === 2);
    await upstreams[Symbol.asyncDispose]();
    if (isLinux) expect(commandsWith(marker)).toEqual([]);
  });

  test("at the end the main thread needs no Worker, is never too late to kill, and starts no other", async () => {
    await using upstreams = new ScriptedUpstreams();
    await upstreams.start("trap '' TERM; echo up; while :; do sleep 0.05; done");
    await upstreams.call("line");
    // The time of the last KILL is long over.
    await upstreams.closeProcesses(0);
    expect(await upstreams.call("ended")).toEqual({ exitCode: null, signal: "SIGKILL" });
    const failure = await upstreams.start("exec cat").catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "cancelled" });
  });
});

describe("[GW-34] pipes that the main thread holds, as on Windows", () => {
  const relayed = (): ScriptedUpstreams => new ScriptedUpstreams({}, {}, spawnRelayed);

  test("carry messages both ways, stderr and the end", async () => {
    await using upstreams = relayed();
    await upstreams.start("echo oops >&2; cat; echo last; exit 4");
    expect(await upstreams.call("talk", { text: "ä\u2028ö" })).toBe("ä\u2028ö");
    expect(await upstreams.call("stderr")).toEqual(["oops"]);
    await upstreams.call("end-input");
    expect(await upstreams.call("line")).toBe("last");
    expect(await upstreams.call("ended")).toEqual({ exitCode: 4, signal: null });
  });

  test("carry 20 MB at the pace of the reader", async () => {
    await using upstreams = relayed();
    await upstreams.start("head -c 20000000 /dev/zero");
    expect(await upstreams.call("bytes")).toBe(20_000_000);
  });

  test("let go of a server that does not read", async () => {
    await using upstreams = relayed();
    await upstreams.start("sleep 0.3");
    expect(await upstreams.call("write", { bytes: 1_000_000 })).toMatch(/does not read/);
  });
});

describe("[GW-34] a program that is not there", () => {
  const failed = async (upstreams: ScriptedUpstreams, more: object): Promise<string> =>
    (upstreams.start("true", more) as Promise<{ text: string }>).then(({ text }) => text);

  test("names the folders that were searched, and what to do", async () => {
    await using upstreams = new ScriptedUpstreams();
    const env = { PATH: "/nowhere/one:/nowhere/two" };
    expect(await failed(upstreams, { command: "npx", env })).toBe(
      'scripted: The server scripted was not started: the program "npx" was not found. Searched: /nowhere/one, /nowhere/two. ' +
        'Install Node.js (https://nodejs.org), or write its full path as "command", or set PATH in the "env" of the server.',
    );
  });

  test("a path, a folder, a file that may not be run and one without interpreter are told apart", async () => {
    await using upstreams = new ScriptedUpstreams();
    const { dir } = upstreams;
    const plain = join(dir, "plain.sh");
    const odd = join(dir, "odd.sh");
    mkdirSync(join(dir, "folder"));
    writeFileSync(plain, "#!/bin/sh\n", { mode: 0o600 });
    writeFileSync(odd, "#!/nowhere/interpreter\n");
    chmodSync(odd, 0o700);
    const start = "scripted: The server scripted was not started: ";
    expect(await failed(upstreams, { command: "./missing" })).toBe(
      `${start}there is no file ${dir}/missing. Correct "command".`,
    );
    expect(await failed(upstreams, { command: join(dir, "folder") })).toBe(
      `${start}there is no file ${dir}/folder. Correct "command".`,
    );
    expect(await failed(upstreams, { cwd: join(dir, "gone") })).toBe(
      `${start}its folder ${dir}/gone does not exist. Create it, or correct "cwd".`,
    );
    expect(await failed(upstreams, { command: plain })).toContain(
      `${plain} may not be run. Allow it with: chmod +x`,
    );
    expect(await failed(upstreams, { command: odd })).toBe(
      `${start}${odd}: the program named in its first line (#!) is missing, or it is made for another system.`,
    );
  });
});

test("descriptors of servers that have ended are closed", async () => {
  await using upstreams = new ScriptedUpstreams();
  await upstreams.start("true");
  await upstreams.call("bytes");
  await upstreams.call("stop");
  await Bun.sleep(1_100);
  const count = (): number => (isLinux ? readdirSync("/proc/self/fd").length : 0);
  const before = count();
  for (let at = 0; at < 10; at++) {
    await upstreams.start("cat");
    await upstreams.call("talk", { text: "x" });
    await upstreams.call("stop");
  }
  await until(() => count() <= before);
});

function commandsWith(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        return "";
      }
    })
    .filter((command) => command.includes(`sleep ${text}`));
}
