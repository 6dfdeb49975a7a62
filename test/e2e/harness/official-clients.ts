import { expect } from "bun:test";

import type { Transport } from "@modelcontextprotocol/client";

import { productBinary } from "./binary.ts";
import { builtTools } from "./built-tools.ts";
import { testEnvironment } from "./server.ts";
import type { TempFolder } from "./temp-folder.ts";
import { WireCheck } from "./wire-check.ts";

export const clientInfo = { name: "e2e", version: "1" };

/** How an official client starts the compiled server. */
export function stdioParameters(home: TempFolder): {
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

/** What the official clients offer, as far as these tests go. */
export interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

export async function expectWorking(client: AnyClient): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([...builtTools]);
  const bash = async (command: string): Promise<unknown> => {
    const result = await client.callTool({ name: "Bash", arguments: { command } });
    const { content, isError } = result as { content: { text: string }[]; isError: boolean };
    expect(content).toHaveLength(1);
    return [content[0]?.text, isError];
  };
  expect(await bash("echo $((6 * 7))")).toEqual(["42\n", false]);
  expect(await bash("exit 3")).toEqual(["exit code: 3", true]);
}

/** A transport of either SDK, as far as it is the same. */
type AnyTransport = Pick<Transport, "send" | "onmessage">;

/** Holds what passes through a transport against its schema; the check is to be asked when all is over. */
export function watched(transport: AnyTransport): WireCheck {
  const check = new WireCheck();
  const send = transport.send.bind(transport);
  transport.send = (message, ...rest) => {
    check.sent(message);
    return send(message, ...rest);
  };
  let listener: AnyTransport["onmessage"] = transport.onmessage;
  // Clients put listeners around the one that is there: a message passes all of them.
  let isPassing = false;
  Object.defineProperty(transport, "onmessage", {
    get: () => listener,
    set: (next: AnyTransport["onmessage"]) => {
      listener = (message, extra) => {
        if (isPassing) return next?.(message, extra);
        check.received(JSON.stringify(message));
        isPassing = true;
        next?.(message, extra);
        isPassing = false;
      };
    },
  });
  return check;
}

/** Has the handshake ask for a version of the test's: the v1 client always asks for its newest. */
export function askingFor<T extends AnyTransport>(version: string, transport: T): T {
  const send = transport.send.bind(transport);
  transport.send = (message, ...rest) => {
    if (!("method" in message) || message.method !== "initialize") return send(message, ...rest);
    const params = { ...message.params, protocolVersion: version };
    return send({ ...message, params }, ...rest);
  };
  return transport;
}
