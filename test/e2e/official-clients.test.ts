import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";

import {
  Client as Client2,
  type ClientOptions,
  StreamableHTTPClientTransport as Http2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as Http1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { HttpServer } from "./harness/http-server.ts";
import { legacyVersions } from "./harness/messages.ts";
import {
  askingFor,
  clientInfo,
  expectWorking,
  stdioParameters,
  watched,
} from "./harness/official-clients.ts";
import { testMsMax } from "./harness/platform.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const token = "laptop-0123456789abcdef";
const requestInit = { headers: { authorization: `Bearer ${token}` } };
const home = new TempFolder();
let http: HttpServer;
beforeAll(async () => {
  http = await HttpServer.start({ tokens: [token] });
});
afterAll(async () => {
  await http[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

type TransportName = "stdio" | "HTTP";
type Transport1 = Parameters<Client1["connect"]>[0];
type Transport2 = Parameters<Client2["connect"]>[0];

const transport1 = (name: TransportName): Transport1 =>
  name === "stdio"
    ? new Stdio1(stdioParameters(home))
    : new Http1(new URL(http.url), { requestInit });
const transport2 = (name: TransportName): Transport2 =>
  name === "stdio"
    ? new Stdio2(stdioParameters(home))
    : new Http2(new URL(http.url), { requestInit });

/** On stdio, where the oldest revision has it, and over HTTP. */
const legacyRows = legacyVersions.flatMap((version, index): [string, TransportName][] => {
  const [one, other]: TransportName[] = index % 2 === 0 ? ["stdio", "HTTP"] : ["HTTP", "stdio"];
  // Each revision by one transport in the suite, by both in the long run.
  return [
    [version, one ?? "stdio"],
    ...onlyLong<[string, TransportName]>([[version, other ?? "HTTP"]]),
  ];
});

describe("official SDK v1", () => {
  test.each(legacyRows)(
    "[clients.sdk-v1] lists and calls tools in %s over %s",
    async (version, name) => {
      const client = new Client1(clientInfo);
      const transport = transport1(name);
      const check = watched(transport);
      try {
        await client.connect(askingFor(version, transport));
        expect(client.getServerVersion()?.name).toBe("scorpiox-code");
        await client.ping();
        await expectWorking(client);
        if (transport instanceof Http1) await transport.terminateSession();
      } finally {
        await client.close();
      }
      check.assertClean();
    },
  );

  test.each<TransportName>(["stdio", "HTTP"])(
    "[clients.sdk-v1] progress and cancellation work as that client does them, over %s",
    async (name) => {
      const client = new Client1(clientInfo);
      try {
        await client.connect(transport1(name));
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
    },
  );
});

/** Connects, tries everything, and says which revision it was. */
async function workWith2(name: TransportName, options: ClientOptions): Promise<string | undefined> {
  const client = new Client2(clientInfo, options);
  const transport = transport2(name);
  const check = watched(transport);
  try {
    await client.connect(transport);
    await expectWorking(client);
    return client.getNegotiatedProtocolVersion();
  } finally {
    await client.close();
    check.assertClean();
  }
}

describe("official SDK v2", () => {
  test.each(legacyRows)(
    "[clients.sdk-v2-legacy] lists and calls tools in %s over %s",
    async (version, name) => {
      const versionNegotiation = { mode: "legacy" } as const;
      const options = { supportedProtocolVersions: [version], versionNegotiation };
      expect(await workWith2(name, options)).toBe(version);
    },
  );

  test.each<TransportName>(["stdio", "HTTP"])(
    "[clients.sdk-v2-auto] finds 2026-07-28 over %s",
    async (name) => {
      const options = { versionNegotiation: { mode: "auto" } } as const;
      expect(await workWith2(name, options)).toBe("2026-07-28");
    },
  );

  test.each<TransportName>(["stdio", "HTTP"])(
    "[clients.sdk-v2-pinned] speaks 2026-07-28 over %s",
    async (name) => {
      const options = { versionNegotiation: { mode: { pin: "2026-07-28" } } };
      expect(await workWith2(name, options)).toBe("2026-07-28");
    },
  );
});
