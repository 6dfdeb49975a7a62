/** Streams that are broken off and resumed through a proxy without affinity: each event once, in order, to the end. */
import { startRedis } from "../../../test/support/engines/redis.ts";
import type { Outcome } from "../outcome.ts";
import { beginSession, FleetClient, type Received } from "./fleet-client.ts";
import { ProxiedFleet } from "./replicas.ts";

const streams = 100;
const atATime = 8;
const token = "resume-0123456789abcdef";

export async function checkFleetResume(): Promise<Outcome> {
  await using redis = await startRedis();
  await using fleet = await ProxiedFleet.start(redis.url, 3, [`ann ${token}`]);
  const client = new FleetClient(fleet.url, token);
  const numbers = Array.from({ length: streams }, (_, number) => number);
  const faults: string[] = [];
  const figures = { whole: 0, events: 0, moves: 0 };
  const work = async (): Promise<void> => {
    for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) {
      const { events, moves } = await stream(client, number);
      const fault = faultOf(events, number);
      if (fault === undefined) figures.whole += 1;
      else faults.push(`stream ${number}: ${fault}`);
      figures.events += events.length;
      figures.moves += moves;
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return {
    name: "fleet-resume",
    passed: faults.length === 0 && figures.whole === streams,
    figures: `${figures.whole} of ${streams} streams whole, ${figures.events} events, ${figures.moves} resumptions at the next of 3 replicas`,
    faults: faults.slice(0, 20),
  };
}

/** One call that reports progress; its connection is broken off after one to three events, again and again. */
async function stream(
  client: FleetClient,
  number: number,
): Promise<{ readonly events: readonly Received[]; readonly moves: number }> {
  const session = await beginSession(client);
  const command = `for n in 1 2 3 4 5 6; do echo line $n; sleep 0.15; done; echo end ${number}`;
  const body = {
    jsonrpc: "2.0",
    id: `call-${number}`,
    method: "tools/call",
    params: { name: "Bash", arguments: { command }, _meta: { progressToken: number } },
  };
  const accept = "text/event-stream, application/json;q=0.5";
  let part = await client.post(body, { ...session, accept }, 1 + (number % 3));
  const events = [...part.events];
  let moves = 0;
  while (!part.isWhole && moves < 50) {
    const lastEventId = events.at(-1)?.id ?? "";
    part = await client.get(
      { ...session, "last-event-id": lastEventId },
      1 + ((number + moves) % 3),
    );
    events.push(...part.events);
    moves += 1;
  }
  await client.delete(session);
  return { events, moves };
}

/** Ids are `<stream>-<number>`: nothing is lost or repeated when the numbers of one stream follow each other. */
function faultOf(events: readonly Received[], number: number): string | undefined {
  const ids = events.map(({ id }) => id ?? "none");
  const [name] = (ids[0] ?? "").split("-");
  const expected = ids.map((_, place) => `${name}-${place + 1}`);
  if (ids.join(" ") !== expected.join(" ")) return `ids ${ids.join(" ")}`;
  const last = JSON.stringify(events.at(-1)?.message ?? "nothing");
  return last.includes(`end ${number}`) ? undefined : `ended with ${last}`;
}
