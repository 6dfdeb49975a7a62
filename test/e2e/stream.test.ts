import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";

import { faultyBinary, productBinary, ensureBuilt } from "./harness/binary.ts";
import { modern, textOf } from "./harness/messages.ts";
import { isWindows, testMsMax } from "./harness/platform.ts";
import { eventually } from "./harness/conditions.ts";
import { Server, testEnvironment, type ServerMessage } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

const MIB = 1024 * 1024;

function expectPure(server: Server): void {
  for (const message of server.messages) expect(message.jsonrpc).toBe("2.0");
}

describe("stdout", () => {
  test("[stdio.purity] carries messages only, whatever a Worker prints", async () => {
    await using server = new Server({ binary: faultyBinary });
    await server.initialize();
    expect(textOf(await server.call("FaultyNoise"))).toBe("was noisy");
    expectPure(server);
    await eventually("it on stderr", () => server.stderr.includes("noise of console.log"));
  });

  test.skipIf(process.platform !== "linux")(
    "[stdio.purity] carries messages only, whatever a child writes to the server's descriptor 1",
    async () => {
      // Real pipes: what Bun gives a child are sockets, which cannot be opened through /proc.
      const wrap = ["/bin/sh", "-c", '"$@" 2>"$HOME/err.log" | cat', "sh"];
      await using server = new Server({ wrap });
      await server.initialize();
      const reply = await server.call("Bash", {
        command: "echo shown; echo hidden > /proc/$PPID/fd/1; echo also > /dev/fd/1",
      });
      expect(textOf(reply)).toBe("shown\nalso\n");
      await server.request("ping");
      expectPure(server);
      expect(readFileSync(server.home.at("err.log"), "utf8")).toContain("hidden");
    },
  );

  test("[stdio.purity] the client's input is not the child's", async () => {
    await using server = new Server();
    await server.initialize();
    const call = server.call("Bash", { command: "cat; echo end" });
    expect((await server.request("ping")).result).toEqual({});
    expect(textOf(await call)).toBe("end\n");
  });
});

describe("ids", () => {
  const odd = [0, -1, Number.MAX_SAFE_INTEGER, "", "str", "1", "😀\u2028", "x".repeat(70_000)];

  test.each(odd)("[protocol.ids] comes back with its type: %p", async (id) => {
    await using server = new Server();
    expect(await server.reply(server.start("ping", undefined, id))).toEqual({
      jsonrpc: "2.0",
      id,
      result: {},
    });
    const call = server.start("tools/list", modern(), id);
    await server.message("two replies", () => server.messages.length >= 2);
    expect(server.messages[1]?.id).toBe(call);
  });

  test.each(["null", "{}", "[1]", "true", "1.5", "1e400"])(
    "[protocol.ids] %s is no id: refused without one",
    async (id) => {
      await using server = new Server();
      server.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
      const refusal = await server.message("a refusal", () => true);
      expect(refusal).toMatchObject({ error: { code: -32600 } });
      expect(server.lines[0]).not.toContain('"id"');
    },
  );

  test("[protocol.ids] an id in flight is not used twice; 1 and '1' are two", async () => {
    await using server = new Server();
    await server.initialize();
    const params = { name: "Bash", arguments: { command: "sleep 0.3; echo once" } };
    server.start("tools/call", params, 100);
    server.start("tools/call", params, "100");
    server.start("tools/call", params, 100);
    const refusal = await server.message("a refusal", ({ error }) => error !== undefined);
    expect(refusal).toMatchObject({ error: { code: -32600 } });
    expect(refusal).not.toHaveProperty("id");
    expect(textOf(await server.reply(100))).toBe("once\n");
    expect(textOf(await server.reply("100"))).toBe("once\n");
    expect(server.messages.filter(({ id }) => id === 100)).toHaveLength(1);
  });

  test("[protocol.strays] responses, unknown notifications and cancellations get no answer", async () => {
    await using server = new Server();
    await server.initialize();
    const before = server.lines.length;
    server.send({ jsonrpc: "2.0", id: 4242, result: {} });
    server.send({ jsonrpc: "2.0", id: "zz", error: { code: 1, message: "x" } });
    server.notify("notifications/whatever", { a: 1 });
    server.notify("notifications/cancelled", { requestId: "never" });
    server.notify("notifications/cancelled");
    await server.request("ping");
    expect(server.lines.length).toBe(before + 1);
  });

  test("[protocol.ids] 500 requests in one write get 500 replies, each once", async () => {
    await using server = new Server();
    const ids = Array.from({ length: 500 }, (_, index) => `burst-${index}`);
    const lines = ids.map((id) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" }));
    server.write(`${lines.join("\n")}\n`);
    await Promise.all(ids.map((id) => server.reply(id)));
    expect(server.messages.map(({ id }) => String(id)).sort()).toEqual([...ids].sort());
  });
});

/** Sends something bad; the server says so (or nothing), and serves the next request. */
async function survives(bytes: string | Uint8Array): Promise<ServerMessage[]> {
  await using server = new Server();
  server.write(bytes);
  await server.reply(server.start("ping", undefined, "after"));
  expectPure(server);
  return server.messages.filter(({ id }) => id !== "after");
}

describe("bad input", () => {
  test("[stdio.line-cap] a line above 16 MiB gets -32700, the next is served", async () => {
    const long = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${"A".repeat(17 * MIB)}"}}\n`;
    const [refusal, ...others] = await survives(long);
    expect(others).toEqual([]);
    expect(refusal).toMatchObject({ error: { code: -32700 } });
    expect(refusal).not.toHaveProperty("id");
  });

  test("[stdio.line-cap] a line of 16 MiB of content is served", async () => {
    const line = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${"A".repeat(16 * MIB)}"}}\n`;
    expect(await survives(line)).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  });

  test("[stdio.utf8] invalid UTF-8 does no harm", async () => {
    const before = Buffer.from('{"jsonrpc":"2.0","id":"u8","method":"nope/');
    const bad = Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80]);
    const [reply] = await survives(Buffer.concat([before, bad, Buffer.from('"}\n')]));
    expect([-32700, -32601]).toContain(reply?.error?.code ?? 0);
  });

  test("[stdio.utf8] a character cut between two writes arrives whole", async () => {
    await using server = new Server();
    await server.initialize();
    const params = { name: "Bash", arguments: { command: "echo '😀é'" } };
    const bytes = Buffer.from(
      `${JSON.stringify({ jsonrpc: "2.0", id: "cut", method: "tools/call", params })}\n`,
    );
    for (const byte of bytes) {
      server.write(Uint8Array.of(byte));
      if (byte > 0x7f) await Bun.sleep(2);
    }
    expect(textOf(await server.reply("cut"))).toBe("😀é\n");
  });

  test.each([
    [
      "arrays",
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}\n`,
    ],
    [
      "objects",
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}\n`,
    ],
    ["unclosed arrays", `${"[".repeat(1_000_000)}\n`],
  ])("[stdio.depth] 100,000 nested %s are refused", async (_name, line) => {
    const [refusal] = await survives(line);
    expect([-32700, -32600]).toContain(refusal?.error?.code ?? 0);
  });

  test.each(["{", "}{", "nul", '{"jsonrpc":"2.0","id":1,', "\u0000\u0001"])(
    "[stdio.bad-json] %p gets -32700 without an id",
    async (line) => {
      const [refusal] = await survives(`${line}\n`);
      expect(refusal).toMatchObject({ jsonrpc: "2.0", error: { code: -32700 } });
      expect(refusal).not.toHaveProperty("id");
    },
  );

  test.each(['"str"', "42", "null", "{}", '{"jsonrpc":"1.0","id":7,"method":"ping"}'])(
    "[stdio.bad-json] %s gets -32600",
    async (line) => {
      const [refusal] = await survives(`${line}\n`);
      expect(refusal?.error?.code).toBe(-32600);
    },
  );

  test("[stdio.framing] CRLF, blank lines and byte-at-a-time writing are fine", async () => {
    const line = '\n\r\n{"jsonrpc":"2.0","id":"slow","method":"ping"}\r\n';
    await using server = new Server();
    for (const byte of Buffer.from(line)) server.write(Uint8Array.of(byte));
    expect((await server.reply("slow")).result).toEqual({});
  });
});

describe("a pipe without a client", () => {
  /** As `printf … | scorpiox-code`: all input at once, then the end. */
  async function piped(...messages: unknown[]): Promise<ServerMessage[]> {
    ensureBuilt(productBinary);
    using home = new TempFolder();
    const input = messages.map((message) => JSON.stringify(message)).join("\n");
    const child = Bun.spawn([productBinary], {
      cwd: home.path,
      env: testEnvironment(home.path),
      // The last line has no newline.
      stdin: new Blob([input]),
      stdout: "pipe",
      stderr: "ignore",
      timeout: 15_000,
    });
    const text = await child.stdout.text();
    expect(await child.exited).toBe(0);
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as ServerMessage);
  }

  const request = (id: number, method: string, params: unknown = {}): unknown => ({
    jsonrpc: "2.0",
    id,
    method,
    params,
  });
  const hello = request(1, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "printf", version: "1" },
  });

  /** What is not done 400 ms after the end of input is given up, and that takes longer where processors are busy. */
  const inTime = (run: () => Promise<ServerMessage[]>): Promise<ServerMessage[]> =>
    eventually("a run in which the call was done in time", async () => {
      const replies = await run();
      return replies.some(({ result }) => result?.["content"] !== undefined) && replies;
    });

  test("[stdio.bare-eof] gets all its replies, calls included", async () => {
    const call = { name: "Bash", arguments: { command: "echo piped" } };
    const replies = await inTime(() =>
      piped(
        hello,
        { jsonrpc: "2.0", method: "notifications/initialized" },
        request(2, "tools/list"),
        request(3, "tools/call", call),
        request(4, "ping"),
      ),
    );
    expect(replies.map(({ id }) => String(id)).sort()).toEqual(["1", "2", "3", "4"]);
    const third = replies.find(({ id }) => id === 3);
    expect(third && textOf(third)).toBe("piped\n");
  });

  test("[stdio.bare-eof] with a modern request and nothing else", async () => {
    const call = { name: "Bash", arguments: { command: "echo piped" } };
    const [reply] = await inTime(() => piped(request(1, "tools/call", modern(call))));
    expect(reply && textOf(reply)).toBe("piped\n");
  });

  test.skipIf(isWindows)("[stdio.bare-eof] without any input it ends at once", async () => {
    expect(await piped()).toEqual([]);
  });
});
