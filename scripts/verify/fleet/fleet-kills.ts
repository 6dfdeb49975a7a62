/** Requests of both eras through a proxy without affinity, while replicas are killed: each is answered once, no session is lost. */
import { mirrored, modernMessage } from "../../../test/e2e/harness/http-client.ts";
import { startRedis } from "../../../test/support/engines/redis.ts";
import { type Outcome, seconds } from "../outcome.ts";
import { beginSession, type Exchange, FleetClient, type Received } from "./fleet-client.ts";
import { ProxiedFleet } from "./replicas.ts";

const requests = 10_000;
const atATime = 24;
const killEveryMs = 2_000;
/** A request is repeated this often before that counts as a fault. */
const retriesMax = 60;
const people = Array.from({ length: 8 }, (_, n) => ({
  label: `p${n}`,
  token: `person-${n}-0123456789abcdef`,
}));

interface Figures {
  answered: number;
  retried: number;
  resumed: number;
  kills: number;
}

export async function checkFleetKills(): Promise<Outcome> {
  await using redis = await startRedis();
  const tokens = people.map(({ label, token }) => `${label} ${token}`);
  await using fleet = await ProxiedFleet.start(redis.url, 3, tokens);
  const faults: string[] = [];
  const figures: Figures = { answered: 0, retried: 0, resumed: 0, kills: 0 };
  const startedAt = performance.now();
  const stopping = new AbortController();
  const killing = killOften(fleet, figures, stopping.signal);
  let next = 0;
  const work = async (_: unknown, place: number): Promise<void> => {
    const person = people[place % people.length];
    const client = new FleetClient(fleet.url, person?.token ?? "");
    const session = await patiently(() => beginSession(client));
    while (next < requests) {
      const number = (next += 1);
      const fault = await request(client, session, number, figures);
      if (fault !== undefined) faults.push(`request ${number}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  stopping.abort();
  await killing;
  const { answered, retried, resumed, kills } = figures;
  return {
    name: "fleet-kills",
    passed: faults.length === 0 && answered >= requests,
    figures: `${answered} requests of both eras answered once in ${seconds(performance.now() - startedAt)}, ${kills} kills; ${retried} repeated after an error, ${resumed} streams resumed; ${atATime} sessions, none lost`,
    faults: faults.slice(0, 20),
  };
}

async function killOften(
  fleet: ProxiedFleet,
  figures: Figures,
  signal: AbortSignal,
): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const since = performance.now();
    const replica = fleet.replicas[turn % fleet.replicas.length];
    await replica?.kill();
    figures.kills += 1;
    await replica?.start();
    await Bun.sleep(Math.max(0, killEveryMs - (performance.now() - since)));
  }
}

/** A fault, or undefined when it was answered: at once, or after what an error asks for, which is to send it again. */
async function request(
  client: FleetClient,
  session: Readonly<Record<string, string>>,
  number: number,
  figures: Figures,
): Promise<string | undefined> {
  let said = "";
  for (let tries = 0; tries < retriesMax; tries += 1) {
    const id = `${number}-${tries}`;
    const exchange = await sent(client, session, number, id);
    const events = exchange === undefined ? [] : await wholeOf(client, session, exchange, figures);
    const replies = events.filter(({ message }) => message?.id === id);
    if (replies.length > 1) return `${replies.length} answers`;
    if (exchange?.status === 404) return `the session is lost: ${exchange.text}`;
    const [reply] = replies;
    if (reply !== undefined && isResult(reply)) {
      figures.answered += 1;
      return undefined;
    }
    said =
      reply === undefined ? `${exchange?.status} ${exchange?.text}` : JSON.stringify(reply.message);
    figures.retried += 1;
    await Bun.sleep(250);
  }
  return `not answered after ${retriesMax} tries: ${said.slice(0, 300)}`;
}

function isResult({ message }: Received): boolean {
  const result = message?.result as { readonly isError?: unknown } | undefined;
  return result !== undefined && result.isError !== true;
}

/** Undefined when the connection broke. */
async function sent(
  client: FleetClient,
  session: Readonly<Record<string, string>>,
  number: number,
  id: string,
): Promise<Exchange | undefined> {
  const { method, params } = kinds[number % kinds.length] ?? { method: "ping", params: {} };
  const isModern = number % 2 === 0 && method !== "ping";
  try {
    if (!isModern) return await client.post({ jsonrpc: "2.0", id, method, params }, session);
    const message = modernMessage(id, method, params);
    return await client.post(message, mirrored(message));
  } catch {
    return undefined;
  }
}

const kinds = [
  { method: "tools/list", params: {} },
  { method: "tools/call", params: { name: "Bash", arguments: { command: "echo done" } } },
  { method: "ping", params: {} },
  { method: "resources/list", params: {} },
  { method: "tools/call", params: { name: "ListBgTasks", arguments: {} } },
];

/** The events of a stream that broke off, with the rest from wherever it is. */
async function wholeOf(
  client: FleetClient,
  session: Readonly<Record<string, string>>,
  { events: first, isWhole }: Exchange,
  figures: Figures,
): Promise<readonly Received[]> {
  const events = [...first];
  let isOver = isWhole;
  for (let tries = 0; !isOver && tries < retriesMax; tries += 1) {
    const lastEventId = events.at(-1)?.id;
    if (lastEventId === undefined) return events;
    figures.resumed += 1;
    try {
      const rest = await client.get({ ...session, "last-event-id": lastEventId });
      events.push(...rest.events);
      isOver = rest.isWhole && rest.status === 200;
    } catch {
      // The next replica has it.
    }
    if (!isOver) await Bun.sleep(100);
  }
  return events;
}

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries > retriesMax) throw error;
      await Bun.sleep(250);
    }
  }
}
