import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../scripts/build/compile.ts";
import { assertHash, getRuntime } from "../../scripts/build/runtime.ts";
import { hostTarget, targets } from "../../scripts/build/targets.ts";
import { createScratch, runCommand } from "./run-installer.ts";

const target = hostTarget() ?? targets[0]!;

/** A project of two files, whose program prints what a Worker answered and what it was built for. */
function writeProject(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "main.ts"),
    `const worker = new Worker(new URL("./worker.ts", import.meta.url).href);
     worker.onmessage = (event) => {
       console.log(event.data, process.env.NODE_ENV, process.env.LEAKED);
       worker.terminate();
     };`,
  );
  writeFileSync(join(folder, "worker.ts"), `postMessage("from a worker");`);
  return folder;
}

describe("getRuntime()", () => {
  test("is the running Bun for this machine", async () => {
    expect(await getRuntime(join(import.meta.dir, "../.."), target)).toBe(process.execPath);
  });

  test("refuses an archive that the lock file does not name", () => {
    using scratch = createScratch();
    const archive = join(scratch.path, "bun.tgz");
    writeFileSync(archive, "runtime");
    const sha512 = new Bun.CryptoHasher("sha512").update("runtime").digest("hex");
    expect(() => assertHash(archive, "bun", sha512)).not.toThrow();
    writeFileSync(archive, "runtimf");
    expect(() => assertHash(archive, "bun", sha512)).toThrow(`expected sha512 ${sha512}`);
  });
});

describe("compile()", () => {
  test("gives the same bytes in another folder, under another name", async () => {
    using scratch = createScratch();
    const outfiles = await Promise.all(
      ["one", "two"].map(async (name) => {
        const folder = writeProject(join(scratch.path, name, "project"));
        const outfile = join(scratch.path, name, `program-${name}`);
        expect(
          await compile(folder, ["main.ts", "worker.ts"], target, process.execPath, outfile),
        ).toEqual({
          kind: "built",
          inputs: ["main.ts", "worker.ts"],
        });
        return outfile;
      }),
    );
    const [one, two] = outfiles.map((path) => readFileSync(path));
    expect(one!.equals(two!)).toBe(true);
    // A hostile working directory: its .env and bunfig.toml change nothing.
    const hostile = join(scratch.path, "hostile");
    mkdirSync(hostile);
    writeFileSync(join(hostile, ".env"), "LEAKED=yes\nNODE_ENV=hostile\n");
    writeFileSync(join(hostile, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
    writeFileSync(join(hostile, "preload.ts"), 'console.log("preloaded");\n');
    const inHostile = `cd "${hostile}" && exec "${outfiles[0]}"`;
    const run = await runCommand(["sh", "-c", inHostile], {});
    expect(run.stdout).toBe("from a worker production undefined\n");
  });

  test("leaves nothing behind when the program does not compile", async () => {
    using scratch = createScratch();
    writeFileSync(join(scratch.path, "main.ts"), 'import "./missing.ts";');
    const outfile = join(scratch.path, "program");
    const result = await compile(scratch.path, ["main.ts"], target, process.execPath, outfile);
    expect(result.kind === "failed" && result.reason).toContain(
      'Could not resolve: "./missing.ts"',
    );
    expect(readdirSync(scratch.path)).toEqual(["main.ts"]);
  });
});
