import { nowMs } from "../client/clock.ts";
import type { Connection } from "../client/connection.ts";
import { isObject } from "../client/message.ts";
import { peakResidentMb } from "../client/process-info.ts";
import type { Participant } from "../participant.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";
import { shellCall } from "./shell.ts";

const callCount = 120;
/** Below every server's own bound on a result. */
const resultChars = 15_000;
const asleepMs = 600;
const readBytes = 65_536;
const readPauseMs = 1;
const silenceMsMax = 4000;

/**
 * 120 calls and a `ping` whose replies together are far larger than a pipe, to a reader that sleeps and then reads
 * 64 KB per ms: the share of replies that arrive whole, and the memory it takes.
 */
export const backpressure: Phase = async (participants) => {
  const shells = participants.filter((participant) => participant.adapter.shell !== undefined);
  await interleave("backpressure", shells, 1, measureSlowReader);
};

function measureSlowReader(participant: Participant): void {
  using connection = participant.start();
  connection.initialize();
  const expected = new Map<number, string>();
  let batch = "";
  for (let i = 0; i < callCount; i++) {
    // A number padded with zeros: one built-in prints it, and each reply is different at its very end.
    const call = shellCall(participant, `printf %0${resultChars}d ${i}`);
    const { id, line } = connection.toolRequest(call);
    expected.set(id, String(i).padStart(resultChars, "0"));
    batch += line;
  }
  const ping = connection.request("ping");
  expected.set(ping.id, "");
  connection.send(batch + ping.line);
  sleepWhileSending(connection);
  const lines = readSlowly(connection, expected.size);
  const intact = countIntact(lines, expected);
  participant.record("slowReaderIntact", (intact / expected.size) * 100);
  participant.record("slowReaderPeakMb", peakResidentMb(connection.pid));
}

function sleepWhileSending(connection: Connection): void {
  const startedAtMs = nowMs();
  while (nowMs() - startedAtMs < asleepMs) {
    connection.flush();
    Bun.sleepSync(readPauseMs);
  }
}

/** All complete lines, until there are `lineCount` of them or the server has been silent for long. */
function readSlowly(connection: Connection, lineCount: number): string[] {
  const chunks: Buffer[] = [];
  const chunk = Buffer.allocUnsafe(readBytes);
  let newlines = 0;
  let heardAtMs = nowMs();
  while (newlines < lineCount && nowMs() - heardAtMs < silenceMsMax) {
    connection.flush();
    const received = connection.readInto(chunk);
    if (received === 0) break;
    if (received > 0) {
      const bytes = Buffer.from(chunk.subarray(0, received));
      newlines += bytes.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
      chunks.push(bytes);
      heardAtMs = nowMs();
    }
    Bun.sleepSync(readPauseMs);
  }
  return Buffer.concat(chunks).toString().split("\n");
}

function countIntact(lines: readonly string[], expected: ReadonlyMap<number, string>): number {
  const intact = new Set<number>();
  for (const line of lines) {
    const id = idOfIntact(line, expected);
    if (id !== undefined) intact.add(id);
  }
  return intact.size;
}

/** The id of a line that is whole JSON and holds the text that its call printed. */
function idOfIntact(line: string, expected: ReadonlyMap<number, string>): number | undefined {
  try {
    const message: unknown = JSON.parse(line);
    if (!isObject(message) || typeof message.id !== "number") return undefined;
    const text = expected.get(message.id);
    return text !== undefined && line.includes(text) ? message.id : undefined;
  } catch {
    return undefined;
  }
}
