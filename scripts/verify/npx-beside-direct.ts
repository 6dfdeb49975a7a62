import { listProcesses, readProcVariable } from "../../src/commands/process/processes.ts";
import { isError } from "../../test/e2e/harness/messages.ts";
import { residentBytes } from "../../test/e2e/harness/processes.ts";
import { runProduct } from "../../test/e2e/harness/run-product.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { eventually } from "../../test/e2e/harness/conditions.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { npmEnvironment } from "./npm-environment.ts";
import type { Outcome } from "./outcome.ts";
import { median } from "./upstream-figures.ts";

const rounds = 7;

/** The same server, started with and without `npx` in turns, out of one cache. */
export async function directBesideNpx(): Promise<Required<Pick<Outcome, "figures" | "details">>> {
  using home = new TempFolder();
  const args = ["-y", "@modelcontextprotocol/server-everything"];
  const entry = { command: "npx", args, env: npmEnvironment(home) };
  const servers = { direct: entry, npx: { ...entry, launcher: "as-is" } };
  const times: Record<keyof typeof servers, number[]> = { direct: [], npx: [] };
  const { direct, npx } = servers;
  // The first start fetches the package, however long that takes.
  await treeBytes(home, { direct }, "direct");
  home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers: servers }));
  for (let round = 0; round < rounds; round++) {
    for (const name of ["direct", "npx"] as const) times[name].push(await startMs(home, name));
  }
  const bytes = {
    direct: await treeBytes(home, { direct }, "direct"),
    npx: await treeBytes(home, { npx }, "npx"),
  };
  const mb = (count: number): string => `${Math.round(count / 1e6)} MB`;
  return {
    figures: `from the start to the first answer ${median(times.direct)} ms without npx, ${median(times.npx)} ms with it (medians of ${rounds} in turns)`,
    details: [
      ["without `npx`", "–", `${times.direct.join(", ")} ms; ${mb(bytes.direct)} resident`],
      ["with `npx`", "–", `${times.npx.join(", ")} ms; ${mb(bytes.npx)} resident`],
    ],
  };
}

/** From the start of its process to the end of the handshake, as `mcp test` measures it. */
async function startMs(home: TempFolder, name: string): Promise<number> {
  const { stdout } = await runProduct(home, ["mcp", "test", name, "--json"], { cwd: home.path });
  const [row] = JSON.parse(stdout) as readonly Row[];
  const steps = row?.steps.filter((step) => step.name === "start" || step.name === "negotiate");
  return steps?.reduce((sum, { ms }) => sum + ms, 0) ?? Number.NaN;
}

interface Row {
  readonly steps: readonly { readonly name: string; readonly ms: number }[];
}

/** Of the processes that one server is: all have its npm cache in their environment. */
async function treeBytes(home: TempFolder, servers: object, name: string): Promise<number> {
  home.write(".scorpiox/mcp_servers.json", JSON.stringify({ mcpServers: servers }));
  await using server = new Server({ home });
  await server.initialize();
  const isThere = async (): Promise<boolean> =>
    !isError(await server.call(`mcp__${name}__echo`, { message: "x" }));
  await eventually("its tool", isThere, 120_000);
  const cache = home.at("npm-cache");
  const members = listProcesses().filter((pid) => readProcVariable(pid, cacheVariable) === cache);
  return members.reduce((sum, pid) => sum + residentBytes(pid), 0);
}

const cacheVariable = "npm_config_cache";
