import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";

import { readProgram, readRelease, type ReleasedProgram } from "../../src/update/release.ts";
import { TempTree } from "../config/temp-tree.ts";

const sha256 = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");

/** A folder with this manifest, its sum, and other files. */
function folderOf(tree: TempTree, manifest: unknown, files: Record<string, Uint8Array> = {}) {
  const text = JSON.stringify(manifest);
  const rows = Object.entries(files).map(([name, bytes]) => `${sha256(bytes)}  ${name}\n`);
  mkdirSync(tree.path("release"), { recursive: true });
  writeFileSync(tree.path("release/manifest.json"), text);
  writeFileSync(
    tree.path("release/SHA256SUMS"),
    `${sha256(text)}  manifest.json\n${rows.join("")}`,
  );
  for (const [name, bytes] of Object.entries(files)) {
    writeFileSync(tree.path(`release/${name}`), bytes);
  }
  return { folder: `file://${tree.path("release")}`, fetch };
}

describe("[IN11] a manifest of another shape is refused in words", () => {
  const artifact = { file: "x", bytes: 1, sha256: "0".repeat(64) };
  test.each([
    ["no version of this kind", { version: "latest", artifacts: [] }],
    ["a version that moves the cursor", { version: "2.0.0\u001b[2J", artifacts: [] }],
    ["a number too large", { version: "99999999999999999999.0.0", artifacts: [] }],
    ["no program", { version: "2.0.0", artifacts: [null] }],
    ["no size", { version: "2.0.0", artifacts: [{ ...artifact, bytes: undefined }] }],
    ["a size in words", { version: "2.0.0", artifacts: [{ ...artifact, bytes: "1" }] }],
    ["more than any program has", { version: "2.0.0", artifacts: [{ ...artifact, bytes: 1e15 }] }],
    ["a file elsewhere", { version: "2.0.0", artifacts: [{ ...artifact, file: "../x" }] }],
    ["archives that are none", { version: "2.0.0", artifacts: [{ ...artifact, archives: [1] }] }],
    ["nothing", null],
  ])("%s", async (_name, manifest) => {
    using tree = new TempTree();
    expect(readRelease(folderOf(tree, manifest), "")).rejects.toMatchObject({
      code: "refused",
      message: "manifest.json is not a manifest of a release. Nothing was changed.",
    });
  });
});

describe("[IN11] a release folder of this machine", () => {
  test.skipIf(process.platform === "win32")(
    "a pipe in place of a file is not waited for",
    async () => {
      using tree = new TempTree({ "release/x": "" });
      Bun.spawnSync(["mkfifo", tree.path("release/SHA256SUMS")]);
      const reader = { folder: `file://${tree.path("release")}`, fetch };
      expect(readRelease(reader, "")).rejects.toThrow(/SHA256SUMS is not a file/);
    },
  );

  test("a file that is too large is not read", async () => {
    using tree = new TempTree({ "release/SHA256SUMS": "x".repeat(2_000_000) });
    const reader = { folder: `file://${tree.path("release")}`, fetch };
    expect(readRelease(reader, "")).rejects.toThrow(/SHA256SUMS is larger than released/);
  });
});

test.each([".zst", ".gz"])(
  "[IN11] an archive %s unpacks to the released size at most",
  async (end) => {
    using tree = new TempTree();
    const large = Buffer.alloc(64_000_000);
    const packed = end === ".gz" ? Bun.gzipSync(large) : Bun.zstdCompressSync(large);
    const archive = { file: `x${end}`, bytes: packed.length, sha256: sha256(packed) };
    const program: ReleasedProgram = {
      file: "x",
      bytes: 10,
      sha256: "0".repeat(64),
      archives: [archive],
    };
    const reader = folderOf(tree, {}, { [archive.file]: packed });
    expect(readProgram(reader, program, () => undefined)).rejects.toThrow(/cannot be unpacked/);
  },
);

describe("[IN11] addresses", () => {
  const reading = (folder: string, get: unknown = fetch): Promise<unknown> =>
    readRelease({ folder, fetch: get as typeof fetch }, "");

  test.each([
    "http://example.test",
    "http://localhost:80@example.test",
    "http://localhost.example.test",
    "ftp://example.test",
    "https//",
    "",
  ])("%s is refused before anything is sent", async (folder) => {
    const asked: unknown[] = [];
    const get = async (url: unknown) => (asked.push(url), new Response(""));
    expect(reading(folder, get)).rejects.toMatchObject({ code: "usage" });
    expect(asked).toEqual([]);
  });

  /** Answers as a server that redirects from each of these addresses to the next one. */
  const redirecting =
    (asked: string[], ...addresses: readonly string[]) =>
    async (url: unknown): Promise<Response> => {
      asked.push(String(url));
      const location = addresses[asked.length - 1];
      return location === undefined
        ? new Response("no", { status: 404 })
        : new Response(null, { status: 302, headers: { location } });
    };

  test("a redirect to an address without encryption is refused before that is asked", async () => {
    const asked: string[] = [];
    const get = redirecting(asked, "http://example.test/x");
    expect(reading("https://example.test", get)).rejects.toThrow(
      /was redirected to http:\/\/example\.test/,
    );
    expect(asked).toEqual(["https://example.test/SHA256SUMS"]);
  });

  test("redirects are followed, also to a path, and not for ever", async () => {
    const asked: string[] = [];
    const get = redirecting(asked, "https://cdn.test/a?key=1", "/b");
    expect(reading("https://example.test", get)).rejects.toThrow(/HTTP status 404/);
    expect(asked).toEqual([
      "https://example.test/SHA256SUMS",
      "https://cdn.test/a?key=1",
      "https://cdn.test/b",
    ]);
    const round = redirecting([], ...Array.from({ length: 50 }, () => "https://example.test/a"));
    expect(reading("https://example.test", round)).rejects.toThrow(/more than 10 redirects/);
  });

  test("a password in it is not printed", async () => {
    const get = async () => new Response("no", { status: 403 });
    const message = await reading("https://me:s3cret@example.test", get).catch(String);
    expect(message).toContain("HTTP status 403");
    expect(message).not.toContain("s3cret");
  });
});
