import { shutdownGraceMsMin, terminateGraceMs } from "../../base/limits.ts";
import { endFamily } from "../../commands/process/family.ts";
import type { Family, Orphanage } from "../../commands/process/orphanage.ts";
import type { CommandExit } from "../../commands/process/spawn-leader.ts";
import type { SpawnedServer } from "./spawn-server.ts";

/** How long each step of the end of a server may take, in ms. */
export interface StopSteps {
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
