/**
 * Real servers behind the compiled binary, for the official clients of both eras: everything that they offer is listed as they
 * list it themselves, and called.
 *
 *     bun scripts/verify/upstreams.ts [--only playwright,modern] [--sdk-servers CLONE]
 *
 * `CLONE` is a clone of github.com/modelcontextprotocol/typescript-sdk: the servers by which the SDKs are tested are in no
 * package. Without it they are not tried, and the outcome says so.
 */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { ensureBuilt, productBinary } from "../../test/e2e/harness/binary.ts";
import { eventually } from "../../test/e2e/harness/conditions.ts";
import { testEnvironment } from "../../test/e2e/harness/server.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import type { Outcome } from "./outcome.ts";
import { callAll } from "./upstreams-call-all.ts";
import type { CallPlace } from "./upstreams-calls.ts";
import {
  type Command,
  connectV1,
  connectV2,
  type RealClient,
} from "../../test/e2e/harness/real-client.ts";
import { compareLists, listDirectly } from "./upstreams-direct.ts";
import { installServers } from "./upstreams-install.ts";
import { pageHtml } from "./upstreams-program-calls.ts";
import { httpServers, pipedServers, type RealServer } from "./upstreams-servers.ts";
import { sdkServers } from "./upstreams-sdk-servers.ts";
import { checkWatching } from "./upstreams-watching.ts";

const clients = [
  ["SDK v1, 2025-11-25", connectV1],
  ["SDK v2, 2026-07-28", connectV2],
] as const;

/** What one server showed to one client. */
interface Walk {
  readonly title: string;
  readonly figure: string;
  readonly toolsCount: number;
  readonly callsCount: number;
  readonly faults: readonly string[];
}

interface Choice {
  /** Names of servers; none: all of them. */
  readonly only?: readonly string[];
  /** Where the SDK's repository is. */
  readonly sdkClone?: string | undefined;
}

export async function checkUpstreams({ only = [], sdkClone }: Choice): Promise<Outcome> {
  installServers();
  const ways = [
    ["pipe", pipedServers],
    ["HTTP", [...httpServers, ...(sdkClone === undefined ? [] : sdkServers(sdkClone))]],
  ] as const;
  using page = servePage();
  const walks: Walk[] = [];
  for (const [way, servers] of ways) {
    for (const server of servers) {
      if (only.length > 0 && !only.includes(server.name)) continue;
      for (const [client, connect] of clients) {
        const walk = await walkOne(
          `${server.name} over ${way}, ${client}`,
          server,
          connect,
          page.url,
        );
        console.log(
          `upstreams: ${walk.title}: ${walk.figure}${walk.faults.map((each) => `\n  ${each}`).join("")}`,
        );
        walks.push(walk);
      }
    }
  }
  return outcomeOf(walks, sdkClone !== undefined);
}

function outcomeOf(walks: readonly Walk[], hasSdkServers: boolean): Outcome {
  const faults = walks.flatMap((walk) => walk.faults.map((fault) => `${walk.title}: ${fault}`));
  const sum = (count: (walk: Walk) => number): number =>
    walks.reduce((total, walk) => total + count(walk), 0);
  return {
    name: "real servers",
    passed: faults.length === 0 && walks.length > 0,
    figures: `${walks.length} pairs of server and client: ${sum(({ toolsCount }) => toolsCount)} tools listed, ${sum(({ callsCount }) => callsCount)} calls, ${faults.length} faults${hasSdkServers ? "" : `; ${notGiven}`}`,
    faults,
    details: [
      ...walks.map(
        ({ title, figure, faults: own }) =>
          [title, own.length === 0 ? "pass" : "FAIL", figure] as const,
      ),
      ...(hasSdkServers ? [] : [[notGiven, "not run", "--sdk-servers names a clone"] as const]),
    ],
  };
}

const notGiven = "conformance servers of the SDKs: not given";

async function walkOne(
  title: string,
  server: RealServer,
  connect: (command: Command) => Promise<RealClient>,
  page: string,
): Promise<Walk> {
  using home = new TempFolder();
  const said = new Map<string, string>();
  const place: CallPlace = { folder: makeFolder(home), page, said: (tool) => said.get(tool) ?? "" };
  try {
    await using running = await server.start(place);
    const { entry } = running;
    const servers = JSON.stringify({ mcpServers: { [server.name]: entry } });
    home.write(".scorpiox/mcp_servers.json", servers);
    const direct = await listDirectly(entry, testEnvironment(home.path), home.path);
    await using client = await connect({
      command: productBinary,
      args: ["--defer", "off"],
      env: testEnvironment(home.path),
      cwd: home.path,
    });
    const prefix = `mcp__${server.name}__`;
    const listed = await eventually(
      `the tools of ${server.name}`,
      async () => {
        const tools = (await client.listTools()).filter(({ name }) => name.startsWith(prefix));
        return tools.length >= direct.length && tools;
      },
      30_000,
    );
    const calls = await callAll({ server, client, tools: direct, place, said });
    const watched = await checkWatching(server.name, client, prefix);
    const differences = compareLists(direct, listed, server.name);
    return {
      title,
      toolsCount: listed.length,
      callsCount: calls.count,
      figure: `${listed.length} tools as listed by the server, ${calls.count} calls, ${calls.errorsCount} of them refused by the server; ${watched.figure}`,
      faults: [...differences, ...calls.faults, ...watched.faults],
    };
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return { title, figure: "not completed", toolsCount: 0, callsCount: 0, faults: [fault] };
  }
}

/** With an image in it. */
function makeFolder(home: TempFolder): string {
  const folder = home.folder("files");
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  home.write("files/pixel.png.txt", png);
  void Bun.write(join(folder, "pixel.png"), Buffer.from(png, "base64"));
  // Its users' words are sent nowhere.
  home.write(".claude-server-commander/config.json", JSON.stringify({ telemetryEnabled: false }));
  mkdirSync(join(folder, "empty"));
  copyFileSync(join(folder, "pixel.png.txt"), join(folder, "copy.txt"));
  return folder;
}

function servePage(): Disposable & { readonly url: string } {
  const headers = { "content-type": "text/html" };
  const listener = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(pageHtml, { headers }),
  });
  return { url: listener.url.href, [Symbol.dispose]: () => void listener.stop(true) };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { only: { type: "string" }, "sdk-servers": { type: "string" } },
  });
  ensureBuilt(productBinary);
  const outcome = await checkUpstreams({
    ...(values.only === undefined ? {} : { only: values.only.split(",") }),
    sdkClone: values["sdk-servers"],
  });
  for (const fault of outcome.faults) console.log(fault);
  console.log(outcome.figures);
  process.exit(outcome.passed ? 0 : 1);
}
