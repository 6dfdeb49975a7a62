import { privateMb } from "../client/process-info.ts";
import { beginConnectedSessions, beginSessions, passSessions } from "../http/idle-sessions.ts";
import type { Participant } from "../participant.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";

/** Time for collectors to run. */
const settleMs = 2000;
const kbPerMb = 1024;
/** Sessions that come and go first, so that what all of them share is there. */
const warmUpSessions = 1000;
/** Fewer than without: each is a descriptor on both sides. */
const openShare = 0.1;

/** What one idle legacy session adds to the private memory of a server, on average over many. */
export const sessions: Phase = async (participants, { idleSessions }) => {
  const taking = participants.filter(({ adapter }) => adapter.http?.hasSessions === true);
  await interleave("sessions", taking, 1, async (participant) => {
    await measureClosed(participant, idleSessions);
    await measureOpen(participant, idleSessions * openShare);
  });
};

async function measureClosed(participant: Participant, count: number): Promise<void> {
  using server = participant.startHttp();
  const url = new URL(server.url);
  const kb = await growthKb(server.pid, url, () => beginSessions(url, count));
  participant.record("sessionKb", kb / count);
}

async function measureOpen(participant: Participant, count: number): Promise<void> {
  using server = participant.startHttp();
  using connections = new DisposableStack();
  const url = new URL(server.url);
  const kb = await growthKb(server.pid, url, () => beginConnectedSessions(url, count, connections));
  participant.record("openSessionKb", kb / count);
}

async function growthKb(pid: number, url: URL, begin: () => Promise<void>): Promise<number> {
  await passSessions(url, warmUpSessions);
  await Bun.sleep(settleMs);
  const beforeMb = privateMb(pid);
  await begin();
  await Bun.sleep(settleMs);
  return (privateMb(pid) - beforeMb) * kbPerMb;
}
