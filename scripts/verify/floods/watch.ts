import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

import { textOf } from "../../../test/e2e/harness/messages.ts";
import type { Server } from "../../../test/e2e/harness/server.ts";
import type { Seen } from "./flood.ts";

const pingEveryMs = 10;
/** A ping that is not answered by then is a server that hangs. */
const answerMsMax = 60_000;
const next = "echo next";

/** A server over stdio while it is flooded. */
export async function watchStdio(server: Server, flood: () => Promise<unknown>): Promise<Seen> {
  const pings = await pingDuring(stdioPing(server), flood());
  const said = await server.call("Bash", { command: next }).then(textOf, String);
  const mb = peakMb(productBelow(server.pid));
  return { mb, pings, fault: said === "next\n" ? undefined : said };
}

/** Answers are known as they come: a client that looked through all messages again would be late itself. */
function stdioPing(server: Server): () => Promise<unknown> {
  const waiting = new Map<unknown, () => void>();
  server.onMessage(({ id, method }) => {
    if (method === undefined) waiting.get(id)?.();
  });
  return () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(server.start("ping"), resolve);
    return promise;
  };
}

/** Pings, whether those before were answered or not, until `flood` is over; ms of each. */
export async function pingDuring(
  ping: () => Promise<unknown>,
  flood: Promise<unknown>,
): Promise<number[]> {
  const pings: Promise<number>[] = [];
  const send = (): void => {
    const from = performance.now();
    pings.push(ping().then(() => performance.now() - from));
  };
  const timer = setInterval(send, pingEveryMs);
  send();
  await flood.finally(() => clearInterval(timer));
  const late = Bun.sleep(answerMsMax).then(() => {
    throw new Error(`a ping was not answered within ${answerMsMax} ms`);
  });
  return Promise.race([Promise.all(pings), late]);
}

/** The most that the process has had in memory. */
export function peakMb(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}

/** The server itself, where others were started before it. */
function productBelow(pid: number): number {
  if (basename(readlinkSync(`/proc/${pid}/exe`)).startsWith("scorpiox-code")) return pid;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const children = readFileSync(`/proc/${pid}/task/${task}/children`, "utf8");
    const child = children.split(" ").map(Number).find(Boolean);
    if (child !== undefined) return productBelow(child);
  }
  throw new Error(`no server below process ${pid}`);
}
