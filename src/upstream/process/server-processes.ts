import { closeSync } from "node:fs";

import { AppError } from "../../base/errors.ts";
import { shutdownGraceMs, shutdownGraceMsMin, terminateGraceMs } from "../../base/limits.ts";
import { upstreamInputEndMs } from "../../base/upstream-limits.ts";
import { type CommandExit, type LeaderSpec, spawnLeader } from "../../commands/process/command.ts";
import { endFamily, graceUntil, killTime } from "../../commands/process/family.ts";
import type { Guardian } from "../../commands/process/guardian.ts";
import { type Libc, loadLibc } from "../../commands/process/libc.ts";
import type { Family, Orphanage } from "../../commands/process/orphanage.ts";
import { ownerVariable } from "../../commands/process/processes.ts";
import { loadWindowsJobs } from "../../commands/process/windows-jobs.ts";
import { startRefused } from "./find-program.ts";
import { type LaunchSurroundings, prepareLaunch } from "./prepare-launch.ts";
import type { ProcessLaunch, ServerDescriptors } from "./upstream-process.ts";

/** The time for each step of stopping a server, in ms. */
interface StopSteps {
  /** From closing its input to TERM. */
  readonly inputMs: number;
  /** From TERM to KILL. */
  readonly termMs: number;
}

/** One server on the main thread: its process, its group and everything that it started. */
export class ServerProcess {
  readonly pid: number;
  readonly spawned: SpawnedServer;
  /** Resolves when its leader has ended. Never rejects. */
  readonly ended: Promise<CommandExit>;
  /** Resolves when its whole family is gone, or the rest cannot be ended. Never rejects. */
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
   * Ends it after its input was closed. A second, more urgent request runs beside the first.
   * @returns when its family is gone, or the rest cannot be ended
   */
  async stop({ inputMs, termMs }: StopSteps): Promise<void> {
    const killAt = performance.now() + inputMs + termMs;
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, inputMs);
    await Promise.race([this.gone, patience.promise]);
    clearTimeout(timer);
    // A late TERM does not delay KILL.
    const graceMs = Math.max(shutdownGraceMsMin, killAt - performance.now());
    const ended = endFamily(this.#orphanage, this.#family, Math.min(termMs, graceMs));
    if ((await Promise.race([this.gone, ended])) === true) await this.gone;
  }

  async #untilGone(): Promise<void> {
    await this.ended;
    // End the processes that it left behind.
    this.#orphanage.lookAfresh();
    await endFamily(this.#orphanage, this.#family, terminateGraceMs);
  }
}

export interface ServerProcessesParts extends LaunchSurroundings {
  readonly orphanage: Orphanage;
  readonly guardian: Guardian;
  /** A unique value of the owner variable. */
  readonly nextMark: () => string;
  /** Called when a family starts and when it is gone, so that the next start can clean up after this process. */
  readonly onFamily: (family: Family, isLive: boolean) => void;
  /** Called before the first start: from then on this process collects orphans. */
  readonly collectOrphans: () => void;
  /** How to spawn a process; default: the way of this system. */
  readonly spawn?: (spec: LeaderSpec) => SpawnedServer;
}

export const usualStop: StopSteps = { inputMs: upstreamInputEndMs, termMs: terminateGraceMs };
/** For servers whose Worker was lost. */
export const hurriedStop: StopSteps = { inputMs: shutdownGraceMs, termMs: shutdownGraceMs };

/** Starts servers as children of the main thread and follows them until their families are gone. */
export class ServerProcesses implements AsyncDisposable {
  readonly #parts: ServerProcessesParts;
  readonly #live = new Set<ServerProcess>();
  #isClosed = false;

  constructor(parts: ServerProcessesParts) {
    this.#parts = parts;
  }

  /** @throws AppError `not_found`, `system`, `refused` with advice; `cancelled` during shutdown */
  async start(launch: ProcessLaunch): Promise<ServerProcess> {
    this.#assertOpen();
    const spec = await prepareLaunch(launch, this.#parts);
    this.#assertOpen();
    this.#parts.collectOrphans();
    const mark = this.#parts.nextMark();
    // Before the server: if this process were killed in between, nobody would end that.
    this.#parts.guardian.start();
    const spawned = this.#spawn(launch.server, {
      ...spec,
      env: { ...spec.env, [ownerVariable]: mark },
    });
    return this.#follow(spawned, { groupId: spawned.pid, mark });
  }

  /**
   * Ends all of them at once, while their inputs are being closed, and starts no more. Idempotent.
   * @param killAt when KILL is due @returns when all families are gone, or the rest cannot be ended
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
    guardian.add(spawned.pid);
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
    throw new AppError(
      "cancelled",
      "The server is shutting down: no more MCP servers are started.",
    );
  }
}

/** The main thread's ends of a server's pipes. */
type SpawnedPipes =
  | ({ readonly kind: "descriptors"; readonly descriptors: ServerDescriptors } & Disposable)
  | { readonly kind: "relayed"; readonly child: RelayedChild };

export type RelayedChild = Bun.Subprocess<"pipe", "pipe", "pipe">;

export interface SpawnedServer {
  readonly pid: number;
  readonly pipes: SpawnedPipes;
  /** Resolves when the leader has ended. Never rejects. */
  readonly ended: Promise<CommandExit>;
}

/**
 * Starts a program that leads a process group of its own, with three pipes and no other descriptor.
 * @throws the system's error
 */
function spawnServer(spec: LeaderSpec): SpawnedServer {
  const libc = loadLibc();
  return libc === undefined ? spawnRelayed(spec) : spawnOnPipes(spec, libc);
}

function spawnOnPipes(spec: LeaderSpec, libc: Libc): SpawnedServer {
  const open: number[] = [];
  const pipe = (): [number, number] => {
    const ends = libc.createPipe();
    open.push(...ends);
    return ends;
  };
  const exit = Promise.withResolvers<CommandExit>();
  try {
    const [stdin, input] = pipe();
    const [output, stdout] = pipe();
    const [errors, stderr] = pipe();
    const child = spawnLeader(spec, [stdin, stdout, stderr], exit.resolve);
    for (const fd of [stdin, stdout, stderr]) closeSync(fd);
    const pipes = handedDescriptors({ input, output, errors });
    return { pid: child.pid, pipes, ended: exit.promise };
  } catch (error) {
    for (const fd of open) closeSync(fd);
    throw error;
  }
}

function handedDescriptors(descriptors: ServerDescriptors): SpawnedPipes {
  let isOpen = true;
  return {
    kind: "descriptors",
    descriptors,
    [Symbol.dispose]() {
      // Only once: the numbers may be reused afterwards.
      if (!isOpen) return;
      isOpen = false;
      for (const fd of [descriptors.input, descriptors.output, descriptors.errors]) closeSync(fd);
    },
  };
}

/** Spawns without a C library that makes pipes (Windows): the main thread relays their bytes. */
export function spawnRelayed(spec: LeaderSpec): SpawnedServer {
  const exit = Promise.withResolvers<CommandExit>();
  const child = spawnLeader(spec, ["pipe", "pipe", "pipe"], exit.resolve) as RelayedChild;
  loadWindowsJobs()?.adopt(child.pid);
  return { pid: child.pid, pipes: { kind: "relayed", child }, ended: exit.promise };
}
