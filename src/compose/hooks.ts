import { isAbsolute } from "node:path";

import { hookEndMsMax } from "../base/limits.ts";
import type { ServerEvent } from "../base/server-events.ts";
import type { GateStage } from "../calls/gate/gate-stage.ts";
import { HookSessions } from "../calls/policy/hooks/hook-sessions.ts";
import { HooksStage, type HooksStageParts } from "../calls/policy/hooks/hooks-stage.ts";
import type { Hooks } from "../calls/policy/hooks/hooks.ts";
import { IdleWatch } from "../calls/policy/hooks/idle-watch.ts";
import { clientNameOf } from "../calls/policy/hooks/session-folder.ts";
import { workspaceFallback } from "./client-profile.ts";
import { createHooks } from "./create-hooks.ts";
import type { StateParts } from "./state-parts.ts";

/** The client on stdin and stdout, and what happens to no client in particular. */
const stdioClient = "stdio";
const noClient = "server";

/** Hooks as the server has them; made with its services, and costs next to nothing where there are none. */
export class ServerHooks {
  /** None when hooks are switched off. */
  readonly stages: readonly GateStage[];
  readonly #parts: StateParts;
  readonly #hooks: Hooks;
  readonly #sessions: HookSessions;
  readonly #idle: IdleWatch;
  readonly #fallbackDir: string;

  /** @param confirm asks the user about a call */
  constructor(parts: StateParts, confirm: HooksStageParts["confirm"]) {
    this.#parts = parts;
    const { start, events, running, isOwnTool } = parts;
    this.#hooks = createHooks(parts);
    this.#fallbackDir = start.cwdFlag ?? workspaceFallback(process.cwd(), start.dirs.homeDir);
    this.#sessions = new HookSessions(this.#hooks, this.#fallbackDir);
    this.#idle = new IdleWatch((clientId, idleMs) => this.#onIdle(clientId, idleMs));
    this.stages = [];
    if (!start.config.settings.hooks.isEnabled) return;
    const sessions = parts.transport === undefined ? undefined : this.#sessions;
    this.stages = [new HooksStage({ hooks: this.#hooks, sessions, isOwnTool, confirm })];
    running.listen(this.#idle.onRunning);
    events.listen((event) => this.#onEvent(event));
  }

  /** The client on stdin and stdout has said something: its session begins. */
  warm(): void {
    if (this.stages.length === 0 || this.#parts.transport !== stdioClient) return;
    const workspaceDir = (): Promise<string> => Promise.resolve(this.#fallbackDir);
    void this.#sessions.begin({ id: stdioClient, workspaceDir });
  }

  endClient(clientId: string): void {
    this.#idle.forget(clientId);
    this.#sessions.end(clientId);
  }

  /**
   * Ends all hooks but those of `session_end`, which get `hookEndMsMax`. On the command line nobody waits for the end:
   * there hooks that run beside have their time.
   */
  async close(): Promise<void> {
    this.#idle[Symbol.dispose]();
    const { transport, start } = this.#parts;
    if (transport === undefined) await this.#settled(start.config.settings.hooks.timeoutMs);
    this.#hooks.close();
    this.#sessions.close();
    await this.#settled(hookEndMsMax);
  }

  /** When no hook runs any more, or after `msMax`. */
  async #settled(msMax: number): Promise<void> {
    const { promise, resolve: giveUp } = Promise.withResolvers<void>();
    const timer = setTimeout(giveUp, msMax);
    await Promise.race([this.#hooks.settled(), promise]);
    clearTimeout(timer);
  }

  #onIdle(clientId: string, idleMs: number): void {
    this.#hooks.tell({
      eventName: "agent_idle",
      clientId,
      cwd: () => this.#sessions.dirOf(clientId),
      data: (workspace) => ({ client: clientNameOf(clientId), workspace, idle_ms: idleMs }),
    });
  }

  #onEvent(event: ServerEvent): void {
    const { kind, ...happened } = event;
    const clientId = "clientId" in event ? event.clientId : noClient;
    const scopeDir = "scope" in event ? event.scope.workspace : "";
    const cwd = (): string => (isAbsolute(scopeDir) ? scopeDir : this.#sessions.dirOf(clientId));
    const client = "clientId" in event ? { clientId: clientNameOf(clientId) } : {};
    this.#hooks.tell({ eventName: kind, clientId, cwd, data: () => ({ ...happened, ...client }) });
  }
}
