import { expect, test } from "bun:test";

const main = new URL("./fixtures/main.ts", import.meta.url).pathname;

test("createProcessIo() writes data to stdout and talk to stderr", async () => {
  await using child = Bun.spawn([process.execPath, main, "tools"], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([stdout, stderr, await child.exited]).toEqual([
    "",
    "scorpiox-code: error: no tools here\n",
    1,
  ]);
});

test("createProcessIo() writes more than a pipe holds", async () => {
  await using child = Bun.spawn([process.execPath, main, "version"], {
    env: { ...process.env, VERSION_REPEAT: "200000" },
    stdout: "pipe",
  });
  expect(await child.stdout.text()).toBe(`scorpiox-code ${"1.2.3".repeat(200_000)}\n`);
});

test("createProcessIo() is quiet when the reader has gone", async () => {
  const command = `'${process.execPath}' '${main}' version | true; echo "\${PIPESTATUS[0]}"`;
  await using child = Bun.spawn(["bash", "-c", command], {
    env: { ...process.env, VERSION_REPEAT: "200000" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([stdout, stderr]).toEqual(["0\n", ""]);
});

test("createProcessIo() starts in a directory that is gone", async () => {
  const command = `d=$(mktemp -d) && cd "$d" && rmdir "$d" && '${process.execPath}' '${main}' version`;
  await using child = Bun.spawn(["bash", "-c", command], { stdout: "pipe", stderr: "pipe" });
  expect(await child.stdout.text()).toBe("scorpiox-code 1.2.3\n");
});
