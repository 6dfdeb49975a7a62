import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { compile } from "../../../scripts/build/compile.ts";
import { readEmbedded } from "../../../scripts/build/embedded.ts";
import { hostTarget, targets } from "../../../scripts/build/targets.ts";
import { createScratch } from "../run-installer.ts";

const target = hostTarget() ?? targets[0]!;

test("readEmbedded() lists what Bun has added to its runtime", async () => {
  using scratch = createScratch();
  const text = "a text that is not code";
  writeFileSync(join(scratch.path, "note.bin"), text);
  writeFileSync(
    join(scratch.path, "main.ts"),
    `import note from "./note.bin" with { type: "file" };
     console.log(note);`,
  );
  const outfile = join(scratch.path, "program");
  await compile(scratch.path, ["main.ts"], target, process.execPath, outfile);
  const { files, bytes } = readEmbedded(readFileSync(outfile));
  expect(files.map(({ bytecode }) => bytecode > 0)).toEqual([true, false]);
  expect(files[1]).toEqual({
    name: expect.stringMatching(/note-\w{8}\.bin$/),
    source: text.length,
    bytecode: 0,
  });
  const parts = files.reduce((sum, { source, bytecode }) => sum + source + bytecode, 0);
  expect(bytes).toBeGreaterThan(parts);
});

test("readEmbedded() refuses what Bun has not compiled", () => {
  expect(() => readEmbedded(Buffer.from("\u007fELF"))).toThrow("no executable that Bun");
});
