import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ServerLogs } from "../../../src/upstream/process/server-logs.ts";
import { WorkerProcess } from "../../../src/upstream/process/worker-process.ts";

function opened(dir: string): {
  readonly process: WorkerProcess;
  readonly errors: ReadableStreamDefaultController<Uint8Array>;
} {
  const held: { errors?: ReadableStreamDefaultController<Uint8Array> } = {};
  const errors = new ReadableStream<Uint8Array>({
    start: (controller) => void (held.errors = controller),
  });
  const process = new WorkerProcess({
    server: "one",
    pid: 1,
    pipes: {
      output: new ReadableStream(),
      errors,
      write: () => Promise.resolve(),
      endInput: () => {},
      release: () => {},
    },
    logs: new ServerLogs(dir),
    redact: (text) => text.replace("s3cret", "***"),
    requestStop: () => {},
  });
  if (held.errors === undefined) throw new Error("the stream was not started");
  return { process, errors: held.errors };
}

test.each([
  ["that end", true],
  ["that a child of its own holds open", false],
])(
  "GW-35: the last words of a server are there when it has ended, on pipes %s",
  async (_what, ends) => {
    const dir = mkdtempSync(join(tmpdir(), "scorpiox-process-"));
    try {
      const { process, errors } = opened(dir);
      process.onEnded(3, null);
      setImmediate(() => {
        errors.enqueue(new TextEncoder().encode("bad key s3cret\n"));
        if (ends) errors.close();
      });
      expect(await process.ended).toEqual({ exitCode: 3, signal: null });
      expect(process.stderrTail()).toEqual(["bad key ***"]);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
);
