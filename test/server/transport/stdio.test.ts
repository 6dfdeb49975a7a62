import { describe, expect, test } from "bun:test";
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { StdioTransport } from "../../../src/server/transport/stdio.ts";
import type { TransportEvent } from "../../../src/server/transport/transport.ts";

const fixture = join(import.meta.dir, "fixtures", "echo-server.ts");

interface Peer extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly exitCode: Promise<number | null>;
  stderr(): string;
}

/** Node's `pipe` is a socket pair on Unix; a shell in between makes it a real pipe. */
function startPeer(kind: "socket" | "pipe", paddingChars = 0): Peer {
  const command = [process.execPath, fixture, String(paddingChars)];
  const child =
    kind === "socket"
      ? spawn(command[0] ?? "", command.slice(1))
      : spawn("sh", ["-c", 'cat | "$@" | cat', "sh", ...command]);
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin?.on("error", () => undefined);
  const exitCode = new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    child,
    exitCode,
    stderr: () => stderr,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exitCode;
    },
  };
}

async function readAll(child: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of child.stdout ?? []) text += String(chunk);
  return text;
}

describe("StdioTransport", () => {
  test.each(["socket", "pipe"] as const)(
    "is byte-exact over a %s with a late reader",
    async (kind) => {
      await using peer = startPeer(kind, 20_000);
      const numbers = Array.from({ length: 500 }, (_, number) => number);
      peer.child.stdin?.end(numbers.map((number) => `${number}\n`).join(""));
      const output = await readAll(peer.child);
      const padding = "x".repeat(20_000);
      const lines = numbers.map(
        (value) => `${JSON.stringify({ kind: "message", value, padding })}\n`,
      );
      expect(output === lines.join("")).toBe(true);
      expect(await peer.exitCode).toBe(0);
    },
  );

  test.each(["socket", "pipe"] as const)(
    "threat 1: claimStdout() keeps what others print off a %s",
    async (kind) => {
      await using peer = startPeer(kind);
      peer.child.stdin?.write('1\n"claim"\n');
      let output = "";
      for await (const chunk of peer.child.stdout ?? []) {
        output += String(chunk);
        if (output.includes("claimed")) peer.child.stdin?.end("2\n");
      }
      expect(output.split("\n")).toEqual([
        '{"kind":"message","value":1,"padding":""}',
        '{"claimed":true}',
        '{"kind":"message","value":2,"padding":""}',
        "",
      ]);
      expect(peer.stderr().split("\n").sort()).toEqual([
        "",
        "ended",
        "noise from child",
        "noise from console",
      ]);
    },
  );

  test("U-epipe: a reader that has gone ends the transport", async () => {
    await using peer = startPeer("socket");
    peer.child.stdin?.write("1\n");
    await new Promise((resolve) => peer.child.stdout?.once("data", resolve));
    peer.child.stdout?.destroy();
    const timer = setInterval(() => peer.child.stdin?.write("2\n"), 5);
    expect(await peer.exitCode).toBe(0);
    clearInterval(timer);
    expect(peer.stderr()).toBe("ended\n");
  });

  test("close() ends a transport that waits for input", async () => {
    await using peer = startPeer("socket");
    peer.child.stdin?.write("1\n");
    await new Promise((resolve) => peer.child.stdout?.once("data", resolve));
    peer.child.kill("SIGTERM");
    expect(await peer.exitCode).toBe(0);
  });

  test("U-slow: reads no more input while the reader does not read", async () => {
    const chunks = Array.from({ length: 100 }, (_, number) => Buffer.from(`${number}\n`));
    let reads = 0;
    const input = {
      read: async () => {
        const value = chunks[reads];
        reads += 1;
        return { done: value === undefined, value };
      },
      cancel: () => Promise.resolve(),
    };
    const written: string[] = [];
    const slow = Promise.withResolvers<number>();
    const sink = {
      write: (text: string) => written.push(text),
      flush: () => (written.length === 1 ? slow.promise : 0),
    };
    const transport = new StdioTransport(input, sink);
    const congested = Promise.withResolvers<void>();
    const answer = "x".repeat(1024 * 1024);
    const ended = transport.run((events: readonly TransportEvent[]) => {
      transport.send(answer.repeat(events.length));
      if (transport.isCongested) congested.resolve();
    });
    await congested.promise;
    const readsWhenCongested = reads;
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    expect(reads).toBe(readsWhenCongested);
    slow.resolve(1);
    await ended;
    await transport.flushed();
    expect(written.join("").split("\n").length - 1).toBe(100);
  });
});
