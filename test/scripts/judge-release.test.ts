import { describe, expect, test } from "bun:test";
import { generateKeyPairSync, sign } from "node:crypto";
import { appendFileSync, rmSync, writeFileSync } from "node:fs";

import { sha256Hex } from "../../src/base/digests.ts";
import { differingFiles, judgeRelease } from "../../scripts/verify/release/judge-release.ts";
import { TempTree } from "../config/temp-tree.ts";

const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const program = "the program ".repeat(100);
const files = { "install.sh": "#!/bin/sh\n", "npm/x.tgz": "x" };

/** A release of one program, which is there packed only, signed. */
function releaseOf(): TempTree {
  const bytes = Buffer.from(program);
  const tree = new TempTree(
    Object.fromEntries(Object.entries(files).map(([file, text]) => [`release/${file}`, text])),
  );
  const packed = { "program.gz": Bun.gzipSync(bytes), "program.zst": Bun.zstdCompressSync(bytes) };
  for (const [file, content] of Object.entries(packed))
    writeFileSync(tree.path(`release/${file}`), content);
  const all = Object.entries({ program, ...packed, ...files });
  const sums = all.map(([file, content]) => `${sha256Hex(content)}  ${file}\n`).join("");
  writeFileSync(tree.path("release/SHA256SUMS"), sums);
  const signature = sign("sha256", Buffer.from(sums), privateKey);
  writeFileSync(tree.path("release/SHA256SUMS.sig"), signature);
  return tree;
}

describe("judgeRelease()", () => {
  test("a whole release has no fault", async () => {
    using tree = releaseOf();
    expect(await judgeRelease(tree.path("release"), publicKey)).toMatchObject({
      files: ["install.sh", "npm/x.tgz", "program.gz", "program.zst"],
      programs: ["program"],
      faults: [],
    });
  });

  test.each<[what: string, damage: (tree: TempTree) => void, faults: readonly string[]]>([
    [
      "a file with a byte more",
      (tree) => appendFileSync(tree.path("release/npm/x.tgz"), "y"),
      ["npm/x.tgz has another checksum"],
    ],
    [
      "a program that is packed differently",
      (tree) => writeFileSync(tree.path("release/program.gz"), Bun.gzipSync(Buffer.from("else"))),
      ["program.gz has another checksum", "program.gz has another checksum"],
    ],
    [
      "a file that is missing",
      (tree) => rmSync(tree.path("release/program.zst")),
      ["program.zst is missing", "program.zst.gz is missing", "program.zst.zst is missing"],
    ],
    [
      "a file that is not listed",
      (tree) => writeFileSync(tree.path("release/more"), ""),
      ["more is not listed"],
    ],
    [
      "no signature",
      (tree) => rmSync(tree.path("release/SHA256SUMS.sig")),
      ["SHA256SUMS is not signed with this key"],
    ],
    [
      "the signature of other checksums",
      (tree) => {
        const signature = sign("sha256", Buffer.from("others"), privateKey);
        writeFileSync(tree.path("release/SHA256SUMS.sig"), signature);
      },
      ["SHA256SUMS is not signed with this key"],
    ],
  ])("%s", async (_what, damage, faults) => {
    using tree = releaseOf();
    damage(tree);
    expect((await judgeRelease(tree.path("release"), publicKey)).faults).toEqual([...faults]);
  });
});

test("differingFiles() names other bytes and files of one side, and no signature", () => {
  using one = releaseOf();
  using two = releaseOf();
  const differing = (): readonly string[] =>
    differingFiles(one.path("release"), two.path("release"));
  expect(differing()).toEqual([]);
  appendFileSync(two.path("release/install.sh"), "#");
  writeFileSync(one.path("release/a"), "");
  writeFileSync(two.path("release/b"), "");
  appendFileSync(two.path("release/SHA256SUMS"), "\n");
  expect(new Set(differing())).toEqual(new Set(["SHA256SUMS", "a", "b", "install.sh"]));
});
