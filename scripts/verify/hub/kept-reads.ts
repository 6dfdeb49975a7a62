import { globSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { textOf } from "../../../test/e2e/harness/messages.ts";
import type { Server } from "../../../test/e2e/harness/server.ts";
import { makeHome, printer, readKept, startKept } from "./kept-printer.ts";
import { python } from "./user-home.ts";

/** A read is answered within that time: before, in or after the moment of the kill. */
const killWithinMs = 12;

/**
 * Clients that are killed some ms after they were asked for output, or as soon as they have answered: the next one goes on where the
 * answer that has come out of the pipe ends.
 */
export async function killWithinReads(rounds: number): Promise<string> {
  await using home = makeHome();
  const workspace = home.workspace("workspace");
  const script = home.write("home/printer.py", printer);
  const stop = home.at("workspace/stop");
  const env = { SCORPIOX_HUB: "on" };
  const seen = { answered: 0, lost: 0, repeated: 0, next: 0 };
  const first = await home.client(workspace, { env });
  const id = await startKept(first, `exec ${python} -I ${script} ${stop}`);
  first.signal("SIGKILL");
  await first.ended();
  for (let round = 0; round < rounds; round++) {
    const client = await home.client(workspace, { env });
    count(seen, await readKept(client, id));
    const text = await killedInRead(client, id, round % 4 === 0);
    if (text !== undefined) {
      count(seen, text);
      seen.answered += 1;
    }
  }
  writeFileSync(stop, "");
  const last = await home.client(workspace, { env });
  await eventually("its end", async () => {
    const said = await readKept(last, id);
    count(seen, said);
    return !said.includes(": running");
  });
  const [file = ""] = globSync(join(home.home, `.scorpiox/kept/*/${id}/output`));
  const { answered, lost, repeated, next } = seen;
  const figure = `${rounds} clients, ${answered} of them with an answer in the pipe: ${lost} pages lost, ${repeated} repeated (${next} lines, ${statSync(file).size} bytes)`;
  if (lost + repeated > 0) throw new Error(figure);
  return figure;
}

/** The answer, if it had been written when the client ended. */
async function killedInRead(
  client: Server,
  id: number,
  isAfterAnswer: boolean,
): Promise<string | undefined> {
  const before = client.lines.length;
  const answer = readKept(client, id, 0).catch(() => undefined);
  if (isAfterAnswer) await answer;
  else await Bun.sleep(Math.random() * killWithinMs);
  client.signal("SIGKILL");
  // Half a line is no answer.
  await client.ended().catch(() => {});
  return client.lines
    .slice(before)
    .map(answerIn)
    .find((text) => text !== undefined);
}

function answerIn(line: string): string | undefined {
  try {
    const message = JSON.parse(line) as Parameters<typeof textOf>[0];
    return message.result === undefined ? undefined : textOf(message);
  } catch {
    return undefined;
  }
}

/** Whether the lines of an answer follow those before it. */
function count(seen: { lost: number; repeated: number; next: number }, text: string): void {
  const numbers = text.split("\n").flatMap((line) => {
    const number = /^(\d+) x*$/.exec(line)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
  const [from] = numbers;
  if (from === undefined) return;
  if (from > seen.next) seen.lost += 1;
  if (from < seen.next) seen.repeated += 1;
  seen.next = (numbers.at(-1) ?? 0) + 1;
}
