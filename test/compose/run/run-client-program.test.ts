import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { runClientProgram } from "../../../src/compose/run/run-client-program.ts";
import { tryClientEntry } from "../../../src/compose/run/try-client-entry.ts";

/** A process that a program leaves behind keeps its output open. */
const left = "sleep 60 & echo $! >&2";
const how = {
  env: { PATH: "/usr/bin:/bin" },
  clientName: "test",
  revision: "2025-06-18",
  capabilities: {},
};

function endLeft(text: string): void {
  const [, id] = /(\d+)/.exec(text) ?? [];
  if (id !== undefined) process.kill(Number(id), "SIGKILL");
}

test("a client's command that leaves a process behind is not waited for", async () => {
  const startedAt = performance.now();
  const { exitCode, output } = await runClientProgram(
    ["sh", "-c", `${left}; echo said; exit 3`],
    how.env,
  );
  endLeft(output);
  expect({ exitCode, said: output.includes("said") }).toEqual({ exitCode: 3, said: true });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test("of a command that says more than any, the beginning is kept", async () => {
  const { output } = await runClientProgram(["sh", "-c", "yes | head -c 20000000"], how.env);
  expect(output.length).toBe(100_000);
});

test("a server that ends at once and leaves a process behind is a fault in words", async () => {
  const startedAt = performance.now();
  const trying = tryClientEntry(["sh", "-c", `${left}; echo broken >&2; exit 1`], how);
  const message = await trying.then(() => "", String);
  endLeft(message);
  expect(message).toContain("broken");
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test("a server that answers and leaves a process behind has answered", async () => {
  const reply = (id: number, result: object): string =>
    `read line; echo '${JSON.stringify({ jsonrpc: "2.0", id, result })}'`;
  const script = [left, reply(1, {}), "read line", reply(2, { tools: [{ name: "T" }] })].join("; ");
  const { tools, stderr } = await tryClientEntry(["sh", "-c", script], how);
  endLeft(stderr.join(" "));
  expect(tools).toEqual([{ name: "T" }]);
});

test("a program that is not there is a fault in words, and its folder is removed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-try-"));
  try {
    expect(tryClientEntry([join(folder, "none")], how)).rejects.toMatchObject({ code: "system" });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
