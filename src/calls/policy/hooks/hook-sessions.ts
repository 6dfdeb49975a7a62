import { startTimer, type Timer } from "../../../base/cancellation.ts";
import { agentIdleMs } from "../../../base/limits.ts";
import type { ClientContext } from "../../call.ts";
import type { Hooks } from "./hooks.ts";
import { clientNameOf } from "./session-folder.ts";

type SessionClient = Pick<ClientContext, "id" | "workspaceDir">;

interface Session {
  /** Undefined when the hooks of its start have ended. */
  starting: Promise<void> | undefined;
  /** Where its hooks run; known when its start had hooks. */
  cwd: string | undefined;
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
    const session: Session = { starting: undefined, cwd: undefined };
    this.#sessions.set(client.id, session);
    session.starting = this.#start(client, session);
    return session.starting;
  }

  /** True when its session has begun and nothing has to be waited for any more. */
  hasStarted(clientId: string): boolean {
    const session = this.#sessions.get(clientId);
    return session !== undefined && session.starting === undefined;
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

/** Tells of each client that has had no call running for a while after one ended: once for each such time. */
export class IdleWatch implements Disposable {
  readonly #onIdle: (clientId: string, idleMs: number) => void;
  readonly #idleMs: number;
  /** Since when each client has been idle that was not told of yet; oldest first. */
  readonly #since = new Map<string, number>();
  readonly #busy = new Set<string>();
  #timer: Timer | undefined;

  constructor(onIdle: (clientId: string, idleMs: number) => void, idleMs: number = agentIdleMs) {
    this.#onIdle = onIdle;
    this.#idleMs = idleMs;
  }

  /** The number of a client's running calls became 0, or is not 0 any more. Costs no timer of its own. */
  readonly onRunning = (clientId: string, running: number): void => {
    this.#since.delete(clientId);
    if (running > 0) return void this.#busy.add(clientId);
    // The calls of a client that is gone end after it.
    if (!this.#busy.delete(clientId)) return;
    this.#since.set(clientId, performance.now());
    this.#timer ??= startTimer(this.#idleMs, this.#look);
  };

  /** The client is gone. */
  forget(clientId: string): void {
    this.#since.delete(clientId);
    this.#busy.delete(clientId);
  }

  [Symbol.dispose](): void {
    this.#timer?.stop();
    this.#since.clear();
  }

  readonly #look = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    for (const [clientId, since] of this.#since) {
      const idleMs = now - since;
      if (idleMs < this.#idleMs) {
        this.#timer = startTimer(this.#idleMs - idleMs, this.#look);
        return;
      }
      this.#since.delete(clientId);
      this.#onIdle(clientId, Math.round(idleMs));
    }
  };
}
