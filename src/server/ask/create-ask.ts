import type { AskClient, AskOptions } from "../../calls/ask-client.ts";
import type { InputKind, InputRequests, InputResponses } from "../../protocol/input-request.ts";
import { isModernVersion } from "../../protocol/message.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { mayAsk } from "./with-rounds.ts";

/** How the client of this request is asked: by server requests (legacy) or by rounds (modern). */
export function createAsk(request: ActiveRequest, connection: ServedConnection): AskClient {
  return new LazyAsk(request, connection);
}

/** Few calls ask: what that takes is loaded when the first one does. */
class LazyAsk implements AskClient {
  readonly #request: ActiveRequest;
  readonly #connection: ServedConnection;
  #loaded: Promise<AskClient> | undefined;
  #made: AskClient | undefined;

  constructor(request: ActiveRequest, connection: ServedConnection) {
    this.#request = request;
    this.#connection = connection;
  }

  get endsCall(): boolean {
    return isModernVersion(this.#request.version);
  }

  get isReplaying(): boolean {
    if (this.#made !== undefined) return this.#made.isReplaying === true;
    return (this.#request.brought?.rounds.length ?? 0) > 0;
  }

  mark(what: string): void {
    this.#request.marks = [...(this.#request.marks ?? []), what];
  }

  isMarked(what: string): boolean {
    return this.#request.marks?.includes(what) === true;
  }

  marksWith(prefix: string): readonly string[] {
    const marks = this.#request.marks?.filter((mark) => mark.startsWith(prefix)) ?? [];
    return marks.map((mark) => mark.slice(prefix.length));
  }

  can(kind: InputKind): boolean {
    return mayAsk(this.#request, this.#connection, kind);
  }

  async ask(requests: InputRequests, options?: AskOptions): Promise<InputResponses> {
    this.#loaded ??= load(this.#request, this.#connection);
    this.#made = await this.#loaded;
    return this.#made.ask(requests, options);
  }
}

async function load(request: ActiveRequest, connection: ServedConnection): Promise<AskClient> {
  if (isModernVersion(request.version)) {
    const { ReplayedAsk } = await import("./replayed-ask.ts");
    return new ReplayedAsk(request, connection);
  }
  const { LegacyAsk } = await import("./legacy-ask.ts");
  return new LegacyAsk(request, connection);
}
