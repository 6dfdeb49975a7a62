import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { SavedOutput } from "../../../src/commands/background/saved-output.ts";
import { SavingRoom } from "../../../src/commands/background/saving-room.ts";
import { SavedOutputs } from "../../../src/commands/background/saved-outputs.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scorpiox-saved-"));
});
afterEach(() => rmSync(root, { recursive: true }));

async function waitFor(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(1);
}

/** What a descriptor of this process leads to (Linux). */
function linkOf(fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("SavedOutput", () => {
  test("is private and holds every chunk in order", async () => {
    const path = join(root, "a.txt");
    const saved = new SavedOutput(path);
    const chunks = Array.from({ length: 300 }, (_, index) => Buffer.from(`${index},`.repeat(50)));
    for (const chunk of chunks) await saved.append(chunk);
    await saved.finish();
    expect(readFileSync(path, "utf8")).toBe(Buffer.concat(chunks).toString());
    expect([modeOf(path), saved.problem]).toEqual([0o600, undefined]);
  });

  test("a short output can be read from the file at once, a longer one in order once it is finished", async () => {
    const path = join(root, "a.txt");
    const saved = new SavedOutput(path);
    const chunk = new Uint8Array(100 * 1024);
    const sizes = [1, 2, 3, 4].map((number) => {
      void saved.append(chunk.slice().fill(number));
      return statSync(path).size;
    });
    expect(sizes.slice(0, 2)).toEqual([chunk.length, 2 * chunk.length]);
    await saved.finish();
    const bytes = readFileSync(path);
    expect([0, 1, 2, 3].map((place) => bytes[place * chunk.length])).toEqual([1, 2, 3, 4]);
    expect([bytes.length, saved.bytes]).toEqual([4 * chunk.length, 4 * chunk.length]);
  });

  test("holds every chunk in order when thousands of them wait at once", async () => {
    const saved = new SavedOutput(join(root, "a.txt"));
    const chunks = Array.from({ length: 5_000 }, (_, index) => Buffer.from(`${index},`));
    for (const chunk of chunks) void saved.append(chunk);
    await saved.finish();
    expect(readFileSync(saved.path, "utf8")).toBe(Buffer.concat(chunks).toString());
    expect([saved.bytes, saved.problem]).toEqual([statSync(saved.path).size, undefined]);
  });

  test("takes nothing after its end, when its descriptor may be somebody else's", async () => {
    const path = join(root, "a.txt");
    const saved = new SavedOutput(path);
    void saved.append(Buffer.from("before"));
    await saved.finish();
    const other = openSync(join(root, "b.txt"), "w");
    void saved.append(Buffer.from("after"));
    await Bun.sleep(5);
    closeSync(other);
    expect([readFileSync(path, "utf8"), readFileSync(join(root, "b.txt"), "utf8")]).toEqual([
      "before",
      "",
    ]);
  });

  test.skipIf(process.platform !== "linux")(
    "closes its descriptor once, however often it is finished",
    async () => {
      const saved = new SavedOutput(join(root, "a.txt"));
      const descriptorsOf = (path: string): number[] =>
        readdirSync("/proc/self/fd")
          .map(Number)
          .filter((fd) => linkOf(fd) === path);
      const [descriptor = -1] = descriptorsOf(saved.path);
      await saved.finish();
      await waitFor(() => descriptorsOf(saved.path).length === 0);
      const others: number[] = [];
      const other = (): number => openSync(join(root, `${others.length}`), "w");
      while (others.push(other()) < 256 && !others.includes(descriptor));
      await saved.finish();
      // Whatever waits for another thread is done when a file has come back from one.
      await Promise.all(others.map((_, index) => Bun.file(join(root, `${index}`)).text()));
      const open = others.filter((fd) => linkOf(fd) !== undefined);
      for (const fd of open) closeSync(fd);
      expect(open).toEqual(others);
      expect(others).toContain(descriptor);
    },
  );

  test("never uses a file that exists, nor what a link points to", () => {
    const path = join(root, "a.txt");
    writeFileSync(path, "theirs");
    symlinkSync(join(root, "target"), join(root, "link"));
    expect(() => new SavedOutput(path)).toThrow("EEXIST");
    expect(() => new SavedOutput(join(root, "link"))).toThrow("EEXIST");
    expect(readdirSync(root).sort()).toEqual(["a.txt", "link"]);
  });

  test("is done with a chunk when it says so: one buffer serves them all", async () => {
    const saved = new SavedOutput(join(root, "a.txt"));
    const chunk = new Uint8Array(100 * 1024);
    const waits: boolean[] = [];
    for (const number of [1, 2, 3, 4, 5]) {
      const done = saved.append(chunk.fill(number));
      waits.push(done !== undefined);
      await done;
    }
    await saved.finish();
    const bytes = readFileSync(saved.path);
    expect(waits).toEqual([false, false, true, true, true]);
    expect(
      Array.from(bytes).filter((byte, place) => byte !== 1 + Math.floor(place / chunk.length)),
    ).toEqual([]);
    expect(bytes.length).toBe(5 * chunk.length);
  });

  test("U-full: a write that fails half-way is a problem that is told, and nobody waits for ever", async () => {
    const fixture = join(import.meta.dir, "fixtures/save-much.ts");
    // 4096 blocks of 512 bytes; without the trap the system would end the writer.
    const script = `trap "" XFSZ; ulimit -f 4096; exec "$0" "$@"`;
    const child = Bun.spawn(["/bin/sh", "-c", script, process.execPath, fixture, join(root, "f")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    expect(await child.stdout.text()).toStartWith("EFBIG");
    expect(statSync(join(root, "f")).size).toBe(2 * 1024 * 1024);
  });
});

describe("SavedOutputs", () => {
  test("what is being saved at the same time has one bound, and who is refused leaves room", async () => {
    const bounds = { bytesMax: 100, reserveBytes: 0 };
    const outputs = new SavedOutputs(
      [root],
      () => {},
      (folder) => new SavingRoom(folder, bounds),
    );
    const [one, two, three] = [1, 2, 3].map(() => outputs.create("ann"));
    const printed = async (saved: typeof one, bytes: number): Promise<string | undefined> => {
      void saved?.append(new Uint8Array(bytes));
      await waitFor(() => saved?.problem !== undefined || saved?.bytes === bytes);
      return saved?.problem;
    };
    const why = "were kept: the outputs being saved share a limit of 100 bytes";
    expect([await printed(one, 60), await printed(two, 41), await printed(three, 40)]).toEqual([
      undefined,
      `only its first 0 bytes ${why}`,
      undefined,
    ]);
    // The first prints on for ever: its 60 bytes are free again, and those of one that has ended too.
    void one?.append(new Uint8Array(1));
    await waitFor(() => one?.problem !== undefined);
    await three?.finish();
    const four = outputs.create("ann");
    expect([one?.problem, await printed(four, 100)]).toEqual([
      `only its first 60 bytes ${why}`,
      undefined,
    ]);
    for (const saved of [one, two, three, four]) await saved?.finish();
    expect([one, two, three, four].map((saved) => statSync(saved?.path ?? "").size)).toEqual([
      60, 0, 40, 100,
    ]);
  });

  test("makes its folder private", async () => {
    const folder = join(root, "new/results");
    const saved = new SavedOutputs([folder], () => {}).create("ann");
    await saved?.finish();
    expect([modeOf(folder), modeOf(saved?.path ?? "")]).toEqual([0o700, 0o600]);
  });

  test("the second folder stands in for one that cannot be used, without a word", async () => {
    const warnings: string[] = [];
    writeFileSync(join(root, "file"), "");
    mkdirSync(join(root, "real"));
    symlinkSync(join(root, "real"), join(root, "link"));
    const second = join(root, "second");
    for (const first of [join(root, "file/results"), join(root, "link")]) {
      const saved = new SavedOutputs([first, second], (text) => warnings.push(text)).create("ann");
      await saved?.finish();
      expect(saved?.path).toStartWith(`${second}/`);
    }
    expect(warnings).toEqual([]);
  });

  test("the second folder stands in for one whose disk is nearly full; none at all: says why", async () => {
    const warnings: string[] = [];
    const folders = [join(root, "full"), join(root, "second")];
    const bounds = { bytesMax: 100, reserveBytes: 10 };
    const outputsWith = (full: readonly string[]): SavedOutputs =>
      new SavedOutputs(
        folders,
        (text) => warnings.push(text),
        (folder) => {
          const free = full.includes(folder) ? 9 : 1_000;
          return new SavingRoom(folder, bounds, () => ({ total: 1_000, free }));
        },
      );
    const saved = outputsWith(folders.slice(0, 1)).create("ann");
    await saved?.finish();
    expect([dirname(saved?.path ?? ""), warnings]).toEqual([join(root, "second"), []]);
    expect([outputsWith(folders).create("ann"), warnings]).toEqual([
      undefined,
      [
        "Long outputs cannot be saved: the disk is nearly full, and 10 bytes of it must stay free. Free space or make the folder writable.",
      ],
    ]);
  });

  test("no folder at all: says why", () => {
    const warnings: string[] = [];
    writeFileSync(join(root, "file"), "");
    const outputs = new SavedOutputs([join(root, "file/results")], (text) => warnings.push(text));
    expect(outputs.create("ann")).toBeUndefined();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("Long outputs cannot be saved: ");
  });
});
