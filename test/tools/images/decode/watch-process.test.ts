import { expect, test } from "bun:test";
import { join } from "node:path";

const watchModule = join(import.meta.dir, "../../../../src/tools/images/decode/watch-process.ts");

/** A process with a watch, that never lets go of its thread. */
async function run(bounds: object, work: string): Promise<unknown[]> {
  const source = `
    import { watchProcess } from ${JSON.stringify(watchModule)};
    const endWatch = watchProcess(${JSON.stringify(bounds)});
    ${work}`;
  const child = Bun.spawn([process.execPath, "-e", source], { stdout: "pipe", stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  await child.exited;
  return [child.signalCode, text];
}

const megabyte = 1_000_000;

test.each([
  [
    "ends a process that swells, and says so",
    { residentBytesMax: 300 * megabyte, msMax: 60_000, tooLarge: "too large" },
    "const held = []; for (;;) held.push(Buffer.alloc(1_000_000, 1));",
    ["SIGKILL", "too large"],
  ],
  [
    "ends a process that hangs",
    { residentBytesMax: 1_000 * megabyte, msMax: 200, tooLarge: "too large" },
    "for (;;);",
    ["SIGKILL", ""],
  ],
  [
    "leaves one alone that is done",
    { residentBytesMax: megabyte, msMax: 60_000, tooLarge: "too large" },
    "endWatch(); const held = Buffer.alloc(50_000_000, 1); console.log(held.length);",
    [null, "50000000\n"],
  ],
])("watchProcess() %s", async (_what, bounds, work, end) => {
  expect(await run(bounds, work)).toEqual(end);
});
