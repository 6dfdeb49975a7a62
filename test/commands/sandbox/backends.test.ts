import { describe, expect, test } from "bun:test";
import { linkSync, readdirSync } from "node:fs";

import { type BackendParts, Backends, type Start } from "../../../src/commands/sandbox/backends.ts";
import { reportOn, type SandboxSettings } from "../../../src/commands/sandbox/notes.ts";
import { Sandbox } from "../../../src/commands/sandbox/sandbox.ts";
import { StandIns } from "../../../src/commands/sandbox/stand-ins.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";

type Ending = Awaited<ReturnType<BackendParts["run"]>>;

/** A system on which trials end as told, by the first word of what is started. */
class PlayedSystem implements Disposable {
  readonly started: string[] = [];
  readonly folder = new TempFolder();
  readonly backends: Backends;

  constructor(
    endings: Readonly<Record<string, Ending>>,
    platform: NodeJS.Platform = "linux",
    failureKeptMs = 60_000,
  ) {
    this.backends = new Backends({
      platform,
      ownCommand: ["self"],
      findProgram: (name) => ("bwrap" in endings ? name : undefined),
      shellPath: "/bin/sh",
      tmpDir: this.folder.path,
      isRoot: false,
      failureKeptMs,
      run: ({ command: [program = ""] }: Start) => {
        this.started.push(program);
        const ending = endings[program];
        return ending === undefined ? Promise.reject(new Error("gone")) : Promise.resolve(ending);
      },
    });
  }

  sandbox(settings: Partial<SandboxSettings>): Sandbox {
    return new Sandbox({
      settings: { ...nothingChosen, ...settings },
      backends: this.backends,
      standIns: new StandIns({ share: () => true, takeAlone: () => true }),
      own: { homeDir: "/nowhere", scorpioxDir: "/nowhere/.scorpiox" },
      tmpDir: this.folder.path,
    });
  }

  [Symbol.dispose](): void {
    this.folder[Symbol.dispose]();
  }
}

const nothingChosen: SandboxSettings = {
  mode: "off",
  hasNetwork: true,
  writable: [],
  backend: undefined,
};
const works: Ending = { exitCode: 0, output: "" };
const denied: Ending = { exitCode: 1, output: "bwrap: loading\nbwrap: not permitted\n" };
const leaks: Ending = { exitCode: 9, output: "" };

describe("Backends", () => {
  test.each([
    [{ bwrap: works, self: works }, "bubblewrap"],
    [{ bwrap: denied, self: works }, "landlock"],
    [{ self: works }, "landlock"],
    [{ bwrap: leaks }, "a command in it could still write; it could not be started: gone"],
    [
      { bwrap: denied, self: denied },
      "it failed: bwrap: not permitted; it failed: bwrap: not permitted",
    ],
    [
      { self: { exitCode: 126, output: "" } },
      "bwrap is not on PATH; install bubblewrap; it failed with exit code 126",
    ],
  ])("%j: %s", async (endings, expected) => {
    using system = new PlayedSystem(endings);
    const chosen = await system.backends.choose(undefined, true);
    const text = "name" in chosen ? chosen.name : chosen.map(({ problem }) => problem).join("; ");
    expect(text).toBe(expected);
    expect(readdirSync(system.folder.path)).toEqual([]);
  });

  test("each is tried once", async () => {
    using system = new PlayedSystem({ bwrap: denied, self: works });
    for (let times = 0; times < 3; times++) await system.backends.choose(undefined, true);
    expect(system.started).toEqual(["bwrap", "self"]);
  });

  test("one that failed is tried again later, one that works is not", async () => {
    const endings: Record<string, Ending> = { bwrap: denied };
    using system = new PlayedSystem(endings, "linux", 0);
    const isHeld = async (): Promise<boolean> =>
      "name" in (await system.backends.choose("bubblewrap", true));
    expect([await isHeld(), await isHeld()]).toEqual([false, false]);
    endings["bwrap"] = works;
    expect([await isHeld(), await isHeld()]).toEqual([true, true]);
    expect(system.started.length).toBe(3);
  });

  test("a system without any has none to try", async () => {
    using system = new PlayedSystem({}, "win32");
    expect(await system.backends.choose(undefined, true)).toEqual([]);
    expect((await reportOn(nothingChosen, system.backends)).planMode).toEqual([
      "Plan mode is on, but nothing on this system stops commands from writing (no sandbox exists for this kind of system): run commands that only read.",
    ]);
  });
});

describe("Sandbox.confine()", () => {
  const cwd = "/";
  const plan = { planFile: "/nowhere/plan.md" };

  test("nothing was asked for: nothing is tried", async () => {
    using system = new PlayedSystem({ bwrap: works });
    expect(await system.sandbox({}).confine({ cwd, plan: undefined })).toBeUndefined();
    expect(system.started).toEqual([]);
  });

  test.each([
    [{ mode: "read-only" }, undefined, "SANDBOX=read-only cannot be enforced here"],
    [{ mode: "workspace-write" }, plan, "SANDBOX=workspace-write cannot be enforced here"],
    [{ hasNetwork: false }, undefined, "SANDBOX_NETWORK=off cannot be enforced here"],
    [
      { mode: "read-only", hasNetwork: false },
      plan,
      "SANDBOX=read-only with SANDBOX_NETWORK=off cannot be enforced here, so nothing was run (bubblewrap: ",
    ],
  ] as const)("%j on a system without any is refused, plan %j", async (settings, on, message) => {
    using system = new PlayedSystem({});
    expect(system.sandbox(settings).confine({ cwd, plan: on })).rejects.toThrow(message);
  });

  test("plan mode on a system without any: as it is, with a note", async () => {
    using system = new PlayedSystem({}, "win32");
    const confinement = await system.sandbox({}).confine({ cwd, plan });
    expect([confinement?.wrap(["a", "b"]), confinement?.env, confinement?.data]).toEqual([
      ["a", "b"],
      {},
      undefined,
    ]);
    expect(confinement?.notes[0]).toStartWith("Plan mode is on, but nothing on this system stops");
  });

  test("a plan file that is a link by now, of either kind, is not opened", async () => {
    using system = new PlayedSystem({ self: works });
    const target = system.folder.write("target", "");
    const link = system.folder.at("link");
    Bun.spawnSync(["ln", "-s", target, link]);
    const notesFor = async (planFile: string): Promise<string | undefined> => {
      const confinement = await system.sandbox({}).confine({ cwd, plan: { planFile } });
      await confinement?.release();
      return confinement?.notes[0];
    };
    const said = [await notesFor(target), await notesFor(link)];
    linkSync(target, system.folder.at("other"));
    expect([...said, await notesFor(target)]).toEqual([
      "Ran read-only for plan mode (landlock): only the plan file (in place) and $TMPDIR could be written.",
      "Ran read-only for plan mode (landlock): only $TMPDIR could be written.",
      "Ran read-only for plan mode (landlock): only $TMPDIR could be written.",
    ]);
    expect(readdirSync(system.folder.path).sort()).toEqual(["link", "other", "target"]);
  });
});

describe("Sandbox.stateFor()", () => {
  const plan = { planFile: "/nowhere/plan.md" };
  const none = "the configured sandbox cannot be enforced here, so it will not be run";

  test.each([
    [{}, undefined, { bwrap: works }, undefined],
    [{ mode: "workspace-write" }, undefined, { bwrap: works }, "workspace-write (bubblewrap)"],
    [{ mode: "workspace-write" }, plan, {}, none],
    [{}, plan, { self: works }, "read-only, because plan mode is on (landlock)"],
    [
      {},
      plan,
      {},
      "none, although plan mode is on: nothing on this system stops it from writing, so it may do everything that you may",
    ],
    [
      { hasNetwork: false },
      undefined,
      { bwrap: works },
      "it may write everything that you may, no network (bubblewrap)",
    ],
    [{ hasNetwork: false }, undefined, { self: works }, none],
  ] as const)("%j, plan %j, on %j: %s", async (settings, on, endings, expected) => {
    using system = new PlayedSystem(endings);
    expect(await system.sandbox(settings).stateFor(on)).toBe(expected);
  });
});
