import type { MixedChannel } from "./mixed-run.ts";
import type { PlannedRequest } from "./mixed-plan.ts";
import type { Server, ServerMessage } from "./server.ts";

interface Waiting {
  readonly resolve: (replies: readonly ServerMessage[]) => void;
  readonly replies: ServerMessage[];
}

/** Both eras on one pipe, in one session. Cancels by notification. */
export class MixedPipe implements MixedChannel {
  readonly #server: Server;
  readonly #waiting = new Map<string, Waiting>();
  readonly #strays: string[] = [];
  #marks = 0;

  /** @param server initialized */
  constructor(server: Server) {
    this.#server = server;
    server.onMessage((message) => this.#take(message));
  }

  send(
    { id, method, params }: PlannedRequest,
    abort: AbortSignal,
  ): Promise<readonly ServerMessage[]> {
    const replies = this.#expect(JSON.stringify(id));
    abort.addEventListener("abort", () => void this.#cancel(id));
    this.#server.send({ jsonrpc: "2.0", id, method, params });
    return replies;
  }

  async passed(): Promise<void> {
    this.#marks += 1;
    const id = `mark-${this.#marks}`;
    const replies = this.#expect(JSON.stringify(id));
    this.#server.send({ jsonrpc: "2.0", id, method: "ping" });
    await replies;
  }

  strays(): readonly string[] {
    return this.#strays;
  }

  /** What is not answered before the server has taken the notification is not answered any more. */
  async #cancel(requestId: string | number): Promise<void> {
    this.#server.notify("notifications/cancelled", { requestId });
    await this.passed();
    const key = JSON.stringify(requestId);
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    waiting?.resolve(waiting.replies);
  }

  #expect(key: string): Promise<readonly ServerMessage[]> {
    const { promise, resolve } = Promise.withResolvers<readonly ServerMessage[]>();
    this.#waiting.set(key, { resolve, replies: [] });
    return promise;
  }

  #take(message: ServerMessage): void {
    if (message.method !== undefined) return;
    const key = JSON.stringify(message.id) ?? "none";
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (waiting === undefined) this.#strays.push(`unexpected: ${JSON.stringify(message)}`);
    else waiting.resolve([...waiting.replies, message]);
  }
}
