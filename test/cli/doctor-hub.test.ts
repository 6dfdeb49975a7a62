import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { aloneFindings, folderFindings } from "../../src/cli/doctor/hub.ts";
import { hubPlaceNamed, hubPlaceOf } from "../../src/hub/link/hub-place.ts";
import type { ServerStatus } from "../../src/upstream/status/server-status.ts";
import { FixtureHubs } from "../hub/watch/fixture-hubs.ts";
import { type Case, doctor, findingsOf, type JsonFinding, treeOf } from "./doctor-run.ts";

/** What is said of the hub, with one that the test has brought about. */
async function hubFindings(
  given: Case = {},
  prepare: (hubs: FixtureHubs, scorpioxDir: string) => Promise<unknown> = () => Promise.resolve(),
): Promise<readonly Pick<JsonFinding, "state" | "text" | "remedy">[]> {
  using tree = treeOf(given);
  const scorpioxDir = tree.path("home/.scorpiox");
  await using hubs = new FixtureHubs(scorpioxDir);
  await prepare(hubs, scorpioxDir);
  const findings = await findingsOf(tree, given);
  return findings
    .filter(({ area }) => area === "hub")
    .map(({ state, text, remedy }) => ({ state, text, remedy }));
}

const otherName = (scorpioxDir: string): string =>
  hubPlaceOf(scorpioxDir).name.replace(/^hub-[0-9a-f]+/, "hub-0123456789ab");

describe.if(process.platform !== "win32")("[IN20] [HB9] doctor looks at the hub", () => {
  test("none runs: that is as it should be", async () => {
    expect(await hubFindings()).toEqual([{ state: "ok", text: "none is running", remedy: null }]);
  });

  test("HUB is off", async () => {
    const files = { "home/.scorpiox/scorpiox-env.txt": "HUB=off\n" };
    expect(await hubFindings({ files })).toEqual([
      {
        state: "ok",
        text: "none is used: HUB=off (user: home/.scorpiox/scorpiox-env.txt:1)",
        remedy: null,
      },
    ]);
  });

  test("one that works, and ends with its starter", async () => {
    const found = await hubFindings({}, (hubs) => hubs.start({ endsWith: "cursor (pid 10)" }));
    expect(found).toMatchObject([
      {
        state: "ok",
        text: expect.stringMatching(/^process \d+ has 2 clients, 2 MCP servers, 1 kept task$/),
      },
      { state: "note", text: expect.stringContaining("it ends with cursor (pid 10)") },
    ]);
  });

  test("one that does not answer", async () => {
    const found = await hubFindings({}, async (hubs) => {
      const { pid } = await hubs.start();
      process.kill(pid, "SIGSTOP");
    });
    expect(found).toMatchObject([
      {
        state: "fault",
        text: expect.stringMatching(/^process \d+ cannot be asked: it does not answer$/),
        remedy: expect.stringMatching(/^kill -9 \d+$/),
      },
    ]);
  });

  test("one of another build that still serves", async () => {
    const found = await hubFindings({}, (hubs, scorpioxDir) =>
      hubs.start({}, otherName(scorpioxDir)),
    );
    expect(found).toMatchObject([
      { state: "ok" },
      {
        state: "note",
        text: expect.stringMatching(
          /^a hub of another build \(version .*, process \d+\) still serves/,
        ),
        remedy: expect.stringContaining("restart the clients"),
      },
    ]);
  });

  test("one whose log has internal errors", async () => {
    const found = await hubFindings({}, async (hubs, scorpioxDir) => {
      await hubs.start();
      const lines = ["T internal error: one", "T a client has gone", "T internal error: two", ""];
      writeFileSync(hubPlaceOf(scorpioxDir).logFile, lines.join("\n"));
    });
    expect(found).toMatchObject([
      { state: "ok" },
      {
        state: "note",
        text: "its log has 2 internal errors, the last one: T internal error: two",
        remedy: expect.stringContaining("report it with the lines from home/.scorpiox/run/"),
      },
    ]);
  });

  test("one that was killed", async () => {
    const found = await hubFindings({}, async (hubs) => {
      const child = await hubs.start();
      child.kill("SIGKILL");
      await child.exited;
    });
    expect(found).toMatchObject([
      { state: "ok", text: "none is running" },
      {
        state: "note",
        text: expect.stringMatching(/^the last one \(process \d+\) was killed or has crashed$/),
        remedy: expect.stringMatching(/^read home\/\.scorpiox\/run\/.*\/log; /),
      },
    ]);
  });

  test("remains of another build, which --fix removes", async () => {
    using tree = treeOf({});
    const scorpioxDir = tree.path("home/.scorpiox");
    const { folder } = hubPlaceNamed(scorpioxDir, otherName(scorpioxDir));
    await using hubs = new FixtureHubs(scorpioxDir);
    const child = await hubs.start({}, otherName(scorpioxDir));
    child.kill("SIGKILL");
    await child.exited;
    const left = (await findingsOf(tree, {})).filter(({ area }) => area === "hub");
    expect(left).toMatchObject([
      { state: "ok" },
      { state: "note", text: expect.stringContaining("has ended, are left in") },
    ]);
    expect(existsSync(folder)).toBe(true);
    writeFileSync(join(folder, "kept"), "");
    await doctor(tree, { words: ["--fix", "--yes"] });
    expect(readdirSync(folder)).toEqual(["kept"]);
    rmSync(join(folder, "kept"));
    const again = await hubs.start({}, otherName(scorpioxDir));
    again.kill("SIGKILL");
    await again.exited;
    await doctor(tree, { words: ["--fix", "--yes"] });
    expect(existsSync(folder)).toBe(false);
  });

  test("a folder that others may enter, which --fix closes", async () => {
    using tree = treeOf({
      prepare(made) {
        mkdirSync(made.path("home/.scorpiox/run"));
        chmodSync(made.path("home/.scorpiox/run"), 0o755);
      },
    });
    const { stdout, stderr } = await doctor(tree, { words: ["--fix", "--yes"] });
    expect(stdout).toContain(
      "hub            others may enter home/.scorpiox/run, where the hub listens\n",
    );
    expect(stderr).toContain("done: chmod 700 home/.scorpiox/run\n");
    expect(lstatSync(tree.path("home/.scorpiox/run")).mode & 0o777).toBe(0o700);
  });
});

describe("folderFindings()", () => {
  test("a file in its place, and a folder of another user", () => {
    using tree = treeOf({ files: { "home/.scorpiox/run": "" } });
    const run = tree.path("home/.scorpiox/run");
    const [file] = folderFindings(run, process.getuid?.());
    expect(file).toMatchObject({
      text: `${run} is not a folder`,
      remedy: `move it away: mv ${run} ${run}.old`,
    });
    const folder = join(run, "..");
    const { uid } = lstatSync(folder);
    const [foreign] = folderFindings(folder, uid + 1);
    expect(foreign?.text).toBe(`${folder} belongs to another user`);
    expect(folderFindings(`${run}-none`, uid)).toEqual([]);
  });
});

describe("aloneFindings()", () => {
  const statusOf = (
    pid: number,
    servers: readonly [name: string, state: string, transport?: string][],
  ) =>
    ({
      pid,
      servers: servers.map(([name, state, transport = "stdio"]) => ({ name, state, transport })),
    }) as unknown as ServerStatus;

  test("clients that run the same servers beside each other", () => {
    const found = aloneFindings([
      statusOf(1, [
        ["docs", "ready"],
        ["far", "ready", "http"],
        ["one", "ready"],
      ]),
      statusOf(2, [
        ["docs", "starting"],
        ["far", "ready", "http"],
        ["one", "cached"],
      ]),
      statusOf(3, [["docs", "degraded"]]),
    ]);
    expect(found).toEqual([
      {
        area: "hub",
        state: "note",
        text: "3 clients each run docs for themselves, since HUB is off",
        remedy: "scorpiox-code config set HUB auto",
      },
    ]);
  });

  test("nothing where no server runs twice", () => {
    expect(
      aloneFindings([statusOf(1, [["docs", "ready"]]), statusOf(2, [["x", "ready"]])]),
    ).toEqual([]);
  });
});
