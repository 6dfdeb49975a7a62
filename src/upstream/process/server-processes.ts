import { AppError } from "../../base/errors.ts";
import { shutdownGraceMs, shutdownGraceMsMin, terminateGraceMs } from "../../base/limits.ts";
import { upstreamInputEndMs } from "../../base/upstream-limits.ts";
import type { CommandExit, LeaderSpec } from "../../commands/process/command.ts";
import { endFamily, graceUntil, killTime } from "../../commands/process/family.ts";
import type { Guardian } from "../../commands/process/guardian.ts";
import type { Family, Orphanage } from "../../commands/process/orphanage.ts";
import { ownerVariable } from "../../commands/process/proc-table.ts";
import { startRefused } from "./find-program.ts";
import { type LaunchSurroundings, prepareLaunch } from "./prepare-launch.ts";
import { type SpawnedServer, spawnServer } from "./spawn-server.ts";
import type { ProcessLaunch } from "./upstream-process.ts";

/** How long each step of the end of a server may take, in ms. */
interface StopSteps {
  /** From the end of its input to TERM. */
  readonly inputMs: number;
  /** From TERM to KILL. */
  readonly termMs: number;
}

/** One server on the main thread: its process, its group and all that it started. */
export class ServerProcess {
  readonly pid: number;
  readonly spawned: SpawnedServer;
  /** Resolves when its leader has ended. Never rejects. */
  readonly ended: Promise<CommandExit>;
  /** Resolves when nothing is left of it, or what is left cannot be ended. Never rejects. */
  readonly gone: Promise<void>;
  readonly #orphanage: Orphanage;
  readonly #family: Family;

  constructor(spawned: SpawnedServer, family: Family, orphanage: Orphanage) {
    this.pid = spawned.pid;
    this.spawned = spawned;
    this.ended = spawned.ended;
    this.#family = family;
    this.#orphanage = orphanage;
    this.gone = this.#untilGone();
  }

  /**
   * Ends it after its input was closed. A second, more hurried request is served beside the first.
   * @returns when nothing is left of it, or what is left cannot be ended
   */
  async stop({ inputMs, termMs }: StopSteps): Promise<void> {
    const killAt = performance.now() + inputMs + termMs;
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, inputMs);
    await Promise.race([this.gone, patience.promise]);
    clearTimeout(timer);
    // A TERM that was late does not delay KILL.
    const graceMs = Math.max(shutdownGraceMsMin, killAt - performance.now());
    const ended = endFamily(this.#orphanage, this.#family, Math.min(termMs, graceMs));
    if ((await Promise.race([this.gone, ended])) === true) await this.gone;
  }

  async #untilGone(): Promise<void> {
    await this.ended;
    // What it started is nobody's any more.
    await endFamily(this.#orphanage, this.#family, terminateGraceMs);
  }
}

export interface ServerProcessesParts extends LaunchSurroundings {
  readonly orphanage: Orphanage;
  readonly guardian: Guardian;
  /** A value of the owner variable that nobody else has. */
  readonly nextMark: () => string;
  /** Told when a family lives and when it is gone, so that the next start can clean up after us. */
  readonly onFamily: (family: Family, isLive: boolean) => void;
  /** Called before the first start: from now on what loses its parent is collected. */
  readonly collectOrphans: () => void;
  /** How a process comes about; default: as this system allows. */
  readonly spawn?: (spec: LeaderSpec) => SpawnedServer;
}

export const usualStop: StopSteps = { inputMs: upstreamInputEndMs, termMs: terminateGraceMs };
/** When the Worker that spoke to them was lost. */
export const hurriedStop: StopSteps = { inputMs: shutdownGraceMs, termMs: shutdownGraceMs };

/** Starts servers as children of the main thread and follows them until nothing is left of them. */
export class ServerProcesses implements AsyncDisposable {
  readonly #parts: ServerProcessesParts;
  readonly #live = new Set<ServerProcess>();
  #isClosed = false;

  constructor(parts: ServerProcessesParts) {
    this.#parts = parts;
  }

  /** @throws AppError `not_found`, `system`, `refused` with what is to be done; `cancelled` at the end */
  async start(launch: ProcessLaunch): Promise<ServerProcess> {
    this.#assertOpen();
    const spec = await prepareLaunch(launch, this.#parts);
    this.#assertOpen();
    this.#parts.collectOrphans();
    const mark = this.#parts.nextMark();
    const spawned = this.#spawn(launch.server, {
      ...spec,
      env: { ...spec.env, [ownerVariable]: mark },
    });
    return this.#follow(spawned, { groupId: spawned.pid, mark });
  }

  /**
   * Ends all of them at once, whose inputs are being closed, and starts no other. Idempotent.
   * @param killAt when KILL is due
   * @returns when nothing is left, or what is left cannot be ended
   */
  async endBy(killAt: number): Promise<void> {
    this.#isClosed = true;
    const stepMs = graceUntil(killAt, 2);
    const steps: StopSteps = { inputMs: stepMs, termMs: stepMs };
    await Promise.all([...this.#live].map((server) => server.stop(steps)));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.endBy(killTime());
  }

  #spawn(server: string, spec: LeaderSpec): SpawnedServer {
    try {
      return (this.#parts.spawn ?? spawnServer)(spec);
    } catch (error) {
      throw startRefused(server, spec.argv[0] ?? "", error);
    }
  }

  #follow(spawned: SpawnedServer, family: Family): ServerProcess {
    const { orphanage, guardian, onFamily } = this.#parts;
    orphanage.addDirectChild(spawned.pid);
    orphanage.add(family);
    guardian.start();
    guardian.add(spawned.pid, 0);
    onFamily(family, true);
    const server = new ServerProcess(spawned, family, orphanage);
    this.#live.add(server);
    void server.ended.then(() => orphanage.removeDirectChild(spawned.pid));
    void server.gone.then(() => {
      this.#live.delete(server);
      orphanage.remove(family);
      guardian.remove(spawned.pid);
      onFamily(family, false);
    });
    return server;
  }

  #assertOpen(): void {
    if (!this.#isClosed) return;
    throw new AppError("cancelled", "The server is shutting down: no other server is started.");
  }
}
