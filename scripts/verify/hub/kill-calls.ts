import type { Server, ServerMessage } from "../../../test/e2e/harness/server.ts";
import { isError, textOf } from "../../../test/e2e/harness/messages.ts";
import type { runsIn } from "./upstream-files.ts";

interface CallsOptions {
  /** Begins the ids of its calls. */
  readonly label: string;
  readonly count: number;
  readonly serverCount: number;
}

/** A call that was sent. */
interface Sent {
  readonly id: string;
  readonly tool: "read" | "write";
  replies: number;
  reply?: ServerMessage;
}

interface Judged {
  readonly faults: readonly string[];
  /** Calls that write and that were answered with an error: they may have run. */
  readonly unsure: number;
  readonly ranOfUnsure: number;
  /** Runs of calls that read, beyond the first. */
  readonly repeated: number;
}

/** Of one client at a time. */
const inFlightMax = 40;
const endMsMax = 30_000;
/** What the client of a call that was in flight is told. */
const mayHaveRun = /may have (happened|run)|may have run or not/i;

/** The calls of one round: half of them read, half of them write, from all clients at all servers. */
export class Calls {
  readonly #clients: readonly Server[];
  readonly #options: CallsOptions;
  readonly #sent = new Map<string, Sent>();
  readonly #done: Promise<unknown>;
  #answered = 0;

  /** Begins to send. */
  constructor(clients: readonly Server[], options: CallsOptions) {
    this.#clients = clients;
    this.#options = options;
    for (const client of clients) client.onMessage((message) => this.#take(message));
    this.#done = Promise.all(clients.map((client, at) => this.#sendAll(client, at)));
  }

  async untilAnswered(count: number): Promise<void> {
    while (this.#answered < count) await Bun.sleep(1);
  }

  /** Milliseconds until each client has been given the result of a call that it has sent from now on. */
  async untilAllBack(): Promise<number> {
    const at = performance.now();
    await Promise.all(this.#clients.map((client, index) => this.#untilBack(client, index)));
    return performance.now() - at;
  }

  /** When all of them are answered. @returns what was wrong */
  async whole(): Promise<readonly string[]> {
    const deadline = performance.now() + endMsMax;
    while (this.#answered < this.#options.count) {
      if (performance.now() > deadline) {
        return [`${this.#options.count - this.#answered} calls without a reply`];
      }
      await Bun.sleep(5);
    }
    await this.#done;
    return [];
  }

  judge(runs: ReturnType<typeof runsIn>): Judged {
    const faults: string[] = [];
    const times = new Map<string, number>();
    for (const { id } of runs) times.set(id, (times.get(id) ?? 0) + 1);
    let [unsure, ranOfUnsure, repeated] = [0, 0, 0];
    for (const { id, tool, replies, reply } of this.#sent.values()) {
      const ran = times.get(id) ?? 0;
      if (replies > 1) faults.push(`${tool} ${id} was answered ${replies} times`);
      if (reply === undefined) continue;
      const said = saidBy(reply);
      const isRight = said === `${tool === "read" ? "read" : "wrote"} ${id}`;
      if (isRight && ran === 0) faults.push(`${tool} ${id} was answered and never ran`);
      if (tool === "read") {
        repeated += Math.max(0, ran - 1);
        if (!isRight) faults.push(`read ${id}: ${said}`);
        continue;
      }
      if (ran > 1) faults.push(`write ${id} ran ${ran} times`);
      if (isRight) continue;
      unsure += 1;
      ranOfUnsure += Math.min(1, ran);
      if (!mayHaveRun.test(said)) faults.push(`write ${id} ran ${ran} times and says: ${said}`);
    }
    return { faults, unsure, ranOfUnsure, repeated };
  }

  async #sendAll(client: Server, index: number): Promise<void> {
    const { label, count, serverCount } = this.#options;
    const share = count / this.#clients.length;
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < share) {
        const place = next++;
        const tool = place % 2 === 0 ? "read" : "write";
        const id = `${label}-${index}-${place}`;
        this.#sent.set(id, { id, tool, replies: 0 });
        const name = `mcp__s${(place % serverCount) + 1}__${tool}`;
        const args = { id, ms: place % 7 };
        await client.reply(client.start("tools/call", { name, arguments: args }, id), endMsMax);
      }
    };
    await Promise.all(Array.from({ length: inFlightMax }, work));
  }

  #take(message: ServerMessage): void {
    const sent = message.method === undefined ? this.#sent.get(String(message.id)) : undefined;
    if (sent === undefined) return;
    sent.replies += 1;
    if (sent.replies === 1) this.#answered += 1;
    sent.reply ??= message;
  }

  async #untilBack(client: Server, index: number): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const id = `${this.#options.label}-back-${index}-${attempt}`;
      const name = `mcp__s${(index % this.#options.serverCount) + 1}__read`;
      const reply = await client.reply(
        client.start("tools/call", { name, arguments: { id } }, id),
        endMsMax,
      );
      if (saidBy(reply) === `read ${id}`) return;
      await Bun.sleep(10);
    }
  }
}

function saidBy(reply: ServerMessage): string {
  if (reply.error !== undefined) return `error ${reply.error.code}: ${reply.error.message}`;
  return isError(reply) ? `failed: ${textOf(reply)}` : textOf(reply);
}
