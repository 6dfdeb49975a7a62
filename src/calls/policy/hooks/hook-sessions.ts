import { startTimer, type Timer } from "../../../base/cancellation.ts";
import { agentIdleMs } from "../../../base/limits.ts";
import type { ClientContext } from "../../call.ts";
import type { CallingClients } from "../../gate/calling-clients.ts";
import type { Rest } from "../../gate/gate-stage.ts";
import type { Hooks } from "./hooks.ts";
import { clientNameOf } from "./session-folder.ts";

type SessionClient = Pick<ClientContext, "id" | "workspaceDir">;

interface Session {
  /** Undefined when the hooks of its start have ended. */
  starting: Promise<void> | undefined;
  /** Where its hooks run; known when its start had hooks. */
  cwd: string | undefined;
  /** The rests of the hooks stage, by event; they end with the session. */
  readonly rests: Map<string, { until: number }>;
}

/** Which clients there are, as far as hooks are concerned: each has a start, which its first call waits for, and an end. */
export class HookSessions implements Disposable {
  readonly #hooks: Hooks;
  readonly #fallbackDir: string;
  readonly #sessions = new Map<string, Session>();

  /** @param fallbackDir where hooks run when it is not known where the client works */
  constructor(hooks: Hooks, fallbackDir: string) {
    this.#hooks = hooks;
    this.#fallbackDir = fallbackDir;
  }

  /** Begins the client's session, if that was not done; undefined when nothing has to be waited for. Never rejects. */
  begin(client: SessionClient): Promise<void> | undefined {
    const known = this.#sessions.get(client.id);
    if (known !== undefined) return known.starting;
    const session: Session = { starting: undefined, cwd: undefined, rests: new Map() };
    this.#sessions.set(client.id, session);
    session.starting = this.#start(client, session);
    return session.starting;
  }

  /** True when its session has begun and nothing has to be waited for any more. */
  hasStarted(clientId: string): boolean {
    const session = this.#sessions.get(clientId);
    return session !== undefined && session.starting === undefined;
  }

  /** A rest that ends at `until`, or with the session; undefined when the session has not started. */
  restUntil(clientId: string, eventName: string, until: number): Rest | undefined {
    const session = this.#sessions.get(clientId);
    if (session === undefined || session.starting !== undefined) return undefined;
    const rest = session.rests.get(eventName) ?? { until };
    session.rests.set(eventName, rest);
    rest.until = until;
    return rest;
  }

  /** Where the hooks of this client run. */
  dirOf(clientId: string): string {
    return this.#sessions.get(clientId)?.cwd ?? this.#fallbackDir;
  }

  /** The client is gone. */
  end(clientId: string): void {
    const session = this.#sessions.get(clientId);
    if (session === undefined) return;
    this.#sessions.delete(clientId);
    for (const rest of session.rests.values()) rest.until = Number.NEGATIVE_INFINITY;
    this.#hooks.tell(this.#endOf(clientId, session));
  }

  /** Ends all sessions. */
  [Symbol.dispose](): void {
    for (const clientId of this.#sessions.keys()) this.end(clientId);
  }

  async #start(client: SessionClient, session: Session): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cwd = async (): Promise<string> => (session.cwd = await client.workspaceDir());
    const begun = this.#hooks.emit({
      eventName: "session_start",
      clientId: client.id,
      cwd,
      data: (workspace) => ({ client: clientNameOf(client.id), workspace }),
    });
    // A start that fails is logged, and keeps nobody from calling.
    begun.then(
      () => resolve(),
      () => resolve(),
    );
    await promise;
    session.starting = undefined;
  }

  #endOf(clientId: string, { cwd = this.#fallbackDir }: Session): Parameters<Hooks["tell"]>[0] {
    const data = (workspace: string): unknown => ({ client: clientNameOf(clientId), workspace });
    // The server may be about to end, and then its sessions end just before it.
    return { eventName: "session_end", clientId, cwd: () => cwd, data, isLast: true };
  }
}

/**
 * Reports each client that has had no call running for a while after one ended: once for each such time. Listens only
 * while no look is due.
 */
export class IdleWatch implements Disposable {
  readonly #clients: Pick<CallingClients, "idleSince" | "listen">;
  readonly #onIdle: (clientId: string, idleMs: number) => void;
  readonly #idleMs: number;
  #stopListening: () => void = () => {};
  #timer: Timer | undefined;

  constructor(
    clients: Pick<CallingClients, "idleSince" | "listen">,
    onIdle: (clientId: string, idleMs: number) => void,
    idleMs: number = agentIdleMs,
  ) {
    this.#clients = clients;
    this.#onIdle = onIdle;
    this.#idleMs = idleMs;
    this.#listen();
  }

  [Symbol.dispose](): void {
    this.#stopListening();
    this.#timer?.stop();
  }

  #listen(): void {
    this.#stopListening = this.#clients.listen((_clientId, running) => {
      if (running === 0) this.#lookIn(this.#idleMs);
    });
  }

  #lookIn(ms: number): void {
    this.#stopListening();
    this.#timer = startTimer(ms, this.#look);
  }

  readonly #look = (): void => {
    const { idleSince } = this.#clients;
    const now = performance.now();
    for (const [clientId, since] of idleSince) {
      const idleMs = now - since;
      if (idleMs < this.#idleMs) return this.#lookIn(this.#idleMs - idleMs);
      idleSince.delete(clientId);
      this.#onIdle(clientId, Math.round(idleMs));
    }
    this.#listen();
  };
}
