import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { compile } from "../../../scripts/build/compile.ts";
import { readEmbedded } from "../../../scripts/build/embedded.ts";
import { hostTarget, targets } from "../../../scripts/build/targets.ts";
import { createScratch, runCommand } from "../run-installer.ts";

const target = hostTarget() ?? targets[0]!;

/** Compiled once for both tests, with what each loads: to compile takes a second. */
const scratch = createScratch();
const outfile = join(scratch.path, "program");
let result: Awaited<ReturnType<typeof compile>>;

beforeAll(async () => {
  symlinkSync(join(import.meta.dir, "../../../node_modules"), join(scratch.path, "node_modules"));
  writeFileSync(
    join(scratch.path, "main.ts"),
    `if (process.argv.includes("few calls")) {
       const { RE2JS } = await import("re2js");
       const { default: utif } = await import("utif2");
       console.log(RE2JS.compile("a+b").matches("aab"), typeof utif.decodeImage);
     } else {
       const { Client } = await import("@modelcontextprotocol/client");
       try { new Client({ name: "a", version: "1" }); } catch (error) { console.log(String(error)); }
     }`,
  );
  result = await compile(scratch.path, ["main.ts"], target, process.execPath, outfile);
}, 60_000);
afterAll(() => scratch[Symbol.dispose]());

test("libraries of few calls are packed, load as before, and are named as inputs", async () => {
  const inputs = result.kind === "built" ? result.inputs.join(" ") : result.reason;
  expect(inputs).toMatch(/\bmain\.ts\b.*node_modules\/re2js\/|node_modules\/re2js\/.*\bmain\.ts\b/);
  expect(inputs).not.toContain("packed-");
  const { files } = readEmbedded(readFileSync(outfile));
  const packed = files.filter(({ name }) => name.endsWith(".zst"));
  expect(packed).toHaveLength(2);
  expect(packed.every(({ source, bytecode }) => source < 60_000 && bytecode === 0)).toBe(true);
  expect((await runCommand([outfile, "few calls"], {})).stdout).toBe("true function\n");
});

test("the MCP library comes without ajv", async () => {
  expect((await runCommand([outfile], {})).stdout).toContain("the build leaves ajv out");
});
