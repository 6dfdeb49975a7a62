import { eventually } from "./conditions.ts";
import { type HttpClient, mirrored, type ModernMessage } from "./http-client.ts";
import type { EventReader } from "./http-events.ts";
import type { HttpServer } from "./http-server.ts";
import type { HttpSession } from "./http-session.ts";
import type { PlannedRequest } from "./mixed-plan.ts";
import type { MixedChannel } from "./mixed-run.ts";
import type { ServerMessage } from "./server.ts";

/** Both eras on one port, the legacy one in several sessions. Cancels as each era does. */
export class MixedPort implements MixedChannel {
  readonly #client: HttpClient;
  readonly #sessions: readonly HttpSession[];
  #turn = 0;
  #marks = 0;

  private constructor(client: HttpClient, sessions: readonly HttpSession[]) {
    this.#client = client;
    this.#sessions = sessions;
  }

  static async open(server: HttpServer): Promise<MixedPort> {
    const versions = ["2025-03-26", "2025-06-18", "2025-11-25", "2025-11-25"];
    const sessions = await Promise.all(versions.map((version) => server.initialize(version)));
    return new MixedPort(server.client, sessions);
  }

  send(request: PlannedRequest, abort: AbortSignal): Promise<readonly ServerMessage[]> {
    return request.isModern ? this.#sendModern(request, abort) : this.#sendLegacy(request, abort);
  }

  async passed(): Promise<void> {
    this.#marks += 1;
    await this.#session().request("ping", undefined, `mark-${this.#marks}`);
  }

  /** Over HTTP a reply has no way but its own response. */
  strays(): readonly string[] {
    return [];
  }

  async #sendModern(
    { id, method, params }: PlannedRequest,
    abort: AbortSignal,
  ): Promise<readonly ServerMessage[]> {
    const message: ModernMessage = { jsonrpc: "2.0", id, method, params };
    try {
      const reader = await this.#client.open(message, mirrored(message), undefined, abort);
      return await repliesOf(reader);
    } catch (error) {
      if (abort.aborted) return [];
      throw error;
    }
  }

  async #sendLegacy(
    { id, method, params }: PlannedRequest,
    abort: AbortSignal,
  ): Promise<readonly ServerMessage[]> {
    const session = this.#session();
    const replies = session.open(method, params, id).then(repliesOf);
    let cancelling: Promise<void> | undefined;
    abort.addEventListener("abort", () => {
      cancelling = cancelUntilOver(session, id, replies);
    });
    const found = await replies;
    await cancelling;
    return found;
  }

  #session(): HttpSession {
    this.#turn += 1;
    const session = this.#sessions[this.#turn % this.#sessions.length];
    if (session === undefined) throw new Error("there are no sessions");
    return session;
  }
}

/**
 * Cancels until the request is over: the two go over connections of their own, on which a cancellation can arrive first.
 * Then it is of an unknown id, and without effect.
 */
async function cancelUntilOver(
  session: HttpSession,
  requestId: string | number,
  replies: Promise<unknown>,
): Promise<void> {
  let isOver = false;
  const end = (): void => void (isOver = true);
  void replies.then(end, end);
  await eventually("the end of a cancelled request", async () => {
    if (!isOver) await session.notify("notifications/cancelled", { requestId });
    return isOver;
  });
}

async function repliesOf(reader: EventReader): Promise<readonly ServerMessage[]> {
  await reader.ended;
  return reader.messages.filter(({ method }) => method === undefined);
}
