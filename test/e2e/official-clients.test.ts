import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { Client as Client2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";

import { ensureBuilt, productBinary, root } from "./harness/binary.ts";
import { builtTools, legacyVersions } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

ensureBuilt(productBinary);
const clientInfo = { name: "e2e", version: "1" };

function parameters(home: TempFolder): {
  command: string;
  env: Record<string, string>;
  cwd: string;
  stderr: "pipe";
} {
  return {
    command: productBinary,
    env: testEnvironment(home.path),
    cwd: home.path,
    stderr: "pipe",
  };
}

/** What both SDK clients offer, as far as these tests go. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  ping?(): Promise<unknown>;
}

async function expectWorking(client: AnyClient): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([...builtTools]);
  const bash = async (command: string): Promise<unknown> => {
    const result = await client.callTool({ name: "Bash", arguments: { command } });
    const { content, isError } = result as { content: { text: string }[]; isError: boolean };
    // Older revisions get the structured result as a second block.
    return [content[0]?.text, isError];
  };
  expect(await bash("echo $((6 * 7))")).toEqual(["42\n", false]);
  expect(await bash("exit 3")).toEqual(["exit code: 3", true]);
}

/** The v1 client always asks for its newest revision; this makes it ask for another that it knows. */
class OlderStdio extends Stdio1 {
  readonly #version: string;

  constructor(home: TempFolder, version: string) {
    super(parameters(home));
    this.#version = version;
  }

  override send(message: Parameters<Stdio1["send"]>[0]): Promise<void> {
    if (!("method" in message) || message.method !== "initialize") return super.send(message);
    return super.send({
      ...message,
      params: { ...message.params, protocolVersion: this.#version },
    });
  }
}

describe("official SDK v1", () => {
  test.each(legacyVersions)("[clients.sdk-v1] lists and calls tools in %s", async (version) => {
    using home = new TempFolder();
    const client = new Client1(clientInfo);
    try {
      await client.connect(new OlderStdio(home, version));
      expect(client.getServerVersion()?.name).toBe("scorpiox-code");
      await client.ping();
      await expectWorking(client);
    } finally {
      await client.close();
    }
  });

  test("[clients.sdk-v1] progress and cancellation work as that client does them", async () => {
    using home = new TempFolder();
    const client = new Client1(clientInfo);
    try {
      await client.connect(new Stdio1(parameters(home)));
      const heard: string[] = [];
      const abort = new AbortController();
      const call = client.callTool(
        { name: "Bash", arguments: { command: "echo one; sleep 30" } },
        undefined,
        {
          signal: abort.signal,
          onprogress: ({ message }) => {
            heard.push(message ?? "");
            abort.abort("enough");
          },
        },
      );
      expect(call).rejects.toThrow("enough");
      await call.catch(() => {});
      expect(heard).toEqual(["one"]);
      await client.ping();
    } finally {
      await client.close();
    }
  });
});

describe("official SDK v2", () => {
  test.each(legacyVersions)(
    "[clients.sdk-v2-legacy] lists and calls tools in %s",
    async (version) => {
      using home = new TempFolder();
      const client = new Client2(clientInfo, {
        supportedProtocolVersions: [version],
        versionNegotiation: { mode: "legacy" },
      });
      try {
        await client.connect(new Stdio2(parameters(home)));
        expect(client.getNegotiatedProtocolVersion()).toBe(version);
        await expectWorking(client);
      } finally {
        await client.close();
      }
    },
  );

  test.each([
    ["clients.sdk-v2-auto", "auto" as const],
    ["clients.sdk-v2-pinned", { pin: "2026-07-28" }],
  ])("[%s] speaks 2026-07-28", async (_id, mode) => {
    using home = new TempFolder();
    const client = new Client2(clientInfo, { versionNegotiation: { mode } });
    try {
      await client.connect(new Stdio2(parameters(home)));
      expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
      await expectWorking(client);
    } finally {
      await client.close();
    }
  });
});

describe("Inspector CLI", () => {
  async function inspect(home: TempFolder, ...args: string[]): Promise<unknown> {
    const script = join(root, "node_modules/@modelcontextprotocol/inspector/cli/build/cli.js");
    const child = Bun.spawn(["node", script, "--cli", productBinary, ...args], {
      cwd: home.path,
      env: testEnvironment(home.path),
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 15_000,
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    if ((await child.exited) !== 0) throw new Error(`the Inspector failed: ${err}`);
    return JSON.parse(out);
  }

  test("[clients.inspector-cli] lists tools", async () => {
    using home = new TempFolder();
    const list = await inspect(home, "--method", "tools/list");
    expect(list).toMatchObject({ tools: builtTools.map((name) => ({ name })) });
  });

  test("[clients.inspector-cli] calls a tool", async () => {
    using home = new TempFolder();
    const call = ["--method", "tools/call", "--tool-name", "Bash", "--tool-arg"];
    const result = await inspect(home, ...call, "command=echo inspected");
    expect(result).toMatchObject({
      content: [{ type: "text", text: "inspected\n" }],
      isError: false,
    });
  });
});
