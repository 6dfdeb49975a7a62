import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

import { hookEndMsMax } from "../base/limits.ts";
import { ownCommand } from "../base/product.ts";
import type { ServerEvent } from "../base/server-events.ts";
import type { GateStage } from "../calls/gate/gate-stage.ts";
import { secretsOf } from "../calls/policy/audit/audit-log.ts";
import { HookApprovals } from "../calls/policy/hooks/hook-approvals.ts";
import type { HookPrograms } from "../calls/policy/hooks/hook-launch.ts";
import { HookRunner } from "../calls/policy/hooks/hook-runner.ts";
import { HookSessions, IdleWatch } from "../calls/policy/hooks/hook-sessions.ts";
import { Hooks, type HooksParts } from "../calls/policy/hooks/hooks.ts";
import { HooksStage, type HooksStageParts } from "../calls/policy/hooks/hooks-stage.ts";
import {
  clientNameOf,
  hooksFoldersOf,
  SessionFolders,
} from "../calls/policy/hooks/session-folder.ts";
import { findShell } from "../commands/process/shell.ts";
import { workspaceFallback, type ServiceParts } from "./program-parts.ts";

/** The client on stdin and stdout, and events of no client in particular. */
const stdioClient = "stdio";
const noClient = "server";

/** Hooks as the server has them; made with its services, and costs next to nothing where there are none. */
export class ServerHooks implements AsyncDisposable {
  /** None when hooks are switched off. */
  readonly stages: readonly GateStage[];
  readonly #parts: ServiceParts;
  readonly #hooks: Hooks;
  readonly #sessions: HookSessions;
  /** Absent when hooks are switched off. */
  readonly #idle: IdleWatch | undefined;
  readonly #fallbackDir: string;

  /** @param confirm asks the user about a call */
  constructor(parts: ServiceParts, confirm: HooksStageParts["confirm"]) {
    this.#parts = parts;
    const { start, events, running, isOwnTool } = parts;
    this.#hooks = createHooks(parts);
    this.#fallbackDir = start.cwdFlag ?? workspaceFallback(process.cwd(), start.dirs.homeDir);
    this.#sessions = new HookSessions(this.#hooks, this.#fallbackDir);
    this.stages = [];
    if (!start.config.settings.hooks.isEnabled) return;
    const sessions = parts.transport === undefined ? undefined : this.#sessions;
    this.stages = [new HooksStage({ hooks: this.#hooks, sessions, isOwnTool, confirm })];
    this.#idle = new IdleWatch(running, (clientId, idleMs) => this.#onIdle(clientId, idleMs));
    events.listen((event) => this.#onEvent(event));
  }

  /** The client on stdin and stdout has said something: its session begins. */
  warm(): void {
    if (this.stages.length === 0 || this.#parts.transport !== stdioClient) return;
    const workspaceDir = (): Promise<string> => Promise.resolve(this.#fallbackDir);
    void this.#sessions.begin({ id: stdioClient, workspaceDir });
  }

  endClient(clientId: string): void {
    this.#sessions.end(clientId);
  }

  /**
   * Ends all hooks but those of `session_end`, which get `hookEndMsMax`. On the command line nobody waits for the end:
   * there hooks that run beside have their time.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#idle?.[Symbol.dispose]();
    const { transport, start } = this.#parts;
    if (transport === undefined) await this.#settled(start.config.settings.hooks.timeoutMs);
    this.#hooks.close();
    this.#sessions[Symbol.dispose]();
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

interface CreateHooksParts extends Pick<
  ServiceParts,
  "env" | "warn" | "instanceId" | "supervisor" | "environment"
> {
  readonly start: Pick<ServiceParts["start"], "dirs" | "config">;
  readonly onHookEnd?: HooksParts["onEnd"];
}

/** Hooks of the user, and of the project that the configuration is of, as this start has them. */
export function createHooks(parts: CreateHooksParts): Hooks {
  const { start, env, warn, instanceId, supervisor, environment, onHookEnd } = parts;
  const { dirs, config } = start;
  const { projectDir, scorpioxDir } = dirs;
  const depth = depthOf(env["SX_HOOK_DEPTH"]);
  const shell = findShell({
    shellPath: config.settings.shellPath,
    env,
    platform: process.platform,
  });
  const bash = /[\\/](?:bash|sh)(?:\.exe)?$/i.test(shell.path) ? shell.path : undefined;
  const runner = new HookRunner({
    runProgram(spec) {
      supervisor.collectOrphans();
      return supervisor.runProgram(spec);
    },
    environment,
    ownEnvironment: ownEnvironment(parts, depth),
    programs: (path) => programsOn(path, bash),
    approvals: projectDir === undefined ? undefined : new HookApprovals(scorpioxDir, projectDir),
  });
  return new Hooks({
    folders: hooksFoldersOf(dirs),
    runner,
    sessions: new SessionFolders(sessionsDirs(scorpioxDir)),
    instanceId,
    timeoutMs: config.settings.hooks.timeoutMs,
    depth,
    secrets: secretsOf(env),
    warn,
    ...(onHookEnd === undefined ? {} : { onEnd: onHookEnd }),
  });
}

/** A hook finds the program that runs it, its folder and how deep it is. */
function ownEnvironment({ start, env }: CreateHooksParts, depth: number): Record<string, string> {
  const [program, ...rest] = ownCommand();
  return {
    SX_HOOK_DEPTH: String(depth + 1),
    ...(program === undefined || rest.length > 0 ? {} : { SX_BIN: program }),
    // The environment of commands has none of our settings: this one is where, not what.
    ...(env["SCORPIOX_HOME"] ? { SCORPIOX_HOME: resolve(start.dirs.scorpioxDir) } : {}),
  };
}

function depthOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : 0;
}

function programsOn(path: string | undefined, bash: string | undefined): HookPrograms {
  const find = (program: string): string | undefined =>
    Bun.which(program, path === undefined ? {} : { PATH: path }) ?? undefined;
  return { platform: process.platform, bash, find };
}

function sessionsDirs(scorpioxDir: string): readonly string[] {
  const uid = process.getuid?.() ?? "user";
  return [join(scorpioxDir, "sessions"), join(tmpdir(), `scorpiox-sessions-${uid}`)];
}
