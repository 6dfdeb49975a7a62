/** Requests per second of one server with its own files and of three replicas with both engines, in turns behind the same proxy. */
import { mirrored, modernMessage } from "../../../test/e2e/harness/http-client.ts";
import { HttpServer } from "../../../test/e2e/harness/http-server.ts";
import { Postgres } from "../../../test/support/engines/postgres.ts";
import { startRedis } from "../../../test/support/engines/redis.ts";
import { RoundRobin } from "../../../test/support/round-robin.ts";
import type { Outcome } from "../outcome.ts";
import { FleetClient } from "./fleet-client.ts";
import { ProxiedFleet } from "./replicas.ts";

const people = Array.from({ length: 8 }, (_, n) => ({
  label: `p${n}`,
  token: `person-${n}-0123456789abcdef`,
}));
const atATime = 24;
const rounds = 3;
const roundMs = 4_000;

const kinds: Readonly<Record<string, { readonly method: string; readonly params: object }>> = {
  "tools/list": { method: "tools/list", params: {} },
  ListBgTasks: { method: "tools/call", params: { name: "ListBgTasks", arguments: {} } },
  TaskManager: {
    method: "tools/call",
    params: { name: "TaskManager", arguments: { action: "list", query: "" } },
  },
};

export async function checkFleetThroughput(): Promise<Outcome> {
  const tokens = people.map(({ label, token }) => `${label} ${token}`);
  await using redis = await startRedis();
  await using postgres = await Postgres.start();
  await using fleet = await ProxiedFleet.start(redis.url, 3, tokens, {
    env: { STORE_URL: postgres.url },
  });
  await using alone = await HttpServer.start({ tokens });
  await using proxy = new RoundRobin([{ origin: new URL(alone.url).origin }]);
  const sides = { "one server": `${proxy.origin}/mcp`, "three replicas": fleet.url };
  const faults: string[] = [];
  const shown: string[] = [];
  for (const [kind, request] of Object.entries(kinds)) {
    const rates: Record<string, number[]> = { "one server": [], "three replicas": [] };
    for (let round = 0; round < rounds; round++) {
      for (const [side, url] of Object.entries(sides))
        rates[side]?.push(await rateOf(url, request, faults));
    }
    const texts = Object.entries(rates).map(([side, all]) => `${side} ${median(all)}/s`);
    shown.push(`${kind}: ${texts.join(", ")}`);
  }
  return {
    name: "fleet-throughput",
    passed: faults.length === 0,
    figures: `${atATime} at a time, medians of ${rounds} rounds of ${roundMs / 1000} s; ${shown.join("; ")}`,
    faults: faults.slice(0, 10),
  };
}

async function rateOf(
  url: string,
  { method, params }: { readonly method: string; readonly params: object },
  faults: string[],
): Promise<number> {
  const until = performance.now() + roundMs;
  let answered = 0;
  const work = async (_: unknown, place: number): Promise<void> => {
    const client = new FleetClient(url, people[place % people.length]?.token ?? "");
    while (performance.now() < until) {
      const message = modernMessage(`${place}-${answered}`, method, { ...params });
      const { status, text } = await client.post(message, mirrored(message));
      if (status === 200) answered += 1;
      else faults.push(`${status} ${text.slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return Math.round(answered / (roundMs / 1000));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
