import { AppError } from "../../base/errors.ts";
import { httpPrincipalPartMax, httpSessionsMax } from "../../base/limits.ts";
import type { Changes } from "../../calls/features.ts";
import { type HttpSettings, needsToken } from "../../cli/http-settings.ts";
import { takeSecret } from "../../config/take-secret.ts";
import type { ChangeLog } from "../../fleet/changes/change-log.ts";
import type { Fleet } from "../../fleet/open-fleet.ts";
import type { FleetSessions } from "../../fleet/sessions/fleet-sessions.ts";
import type { ServerContextOptions } from "../../server/context/server-context.ts";
import type { HttpEndpoint, HttpEndpointParts } from "../../server/http/http-endpoint.ts";
import type { Application } from "../application.ts";
import type { Places } from "./places.ts";
import type { ApplicationOptions } from "../program-parts.ts";
import type { PartsHealth } from "./parts-health.ts";

/** This process as a replica of a fleet; without `SHARED_URL` it is alone, and nothing of a fleet is loaded. */
export class ServerFleet implements AsyncDisposable {
  /** The ways to the places of requests; there from `join` on. */
  places: Places | undefined;
  #sessions: FleetSessions | undefined;
  #log: ChangeLog | undefined;
  readonly #settings: HttpSettings;
  readonly #warn: (message: string) => void;

  private constructor(
    /** Undefined: this server is alone. */
    readonly fleet: Fleet | undefined,
    settings: HttpSettings,
    warn: (message: string) => void,
  ) {
    this.#settings = settings;
    this.#warn = warn;
  }

  /** @throws AppError for settings that cannot be used, and when the engine cannot */
  static async open(settings: HttpSettings, warn: (message: string) => void): Promise<ServerFleet> {
    return new ServerFleet(await openFleetOf(settings, warn), settings, warn);
  }

  get forApplication(): Pick<ApplicationOptions, "onClientState"> {
    if (this.fleet === undefined) return {};
    return { onClientState: (clientId) => this.places?.changed(clientId) };
  }

  /** The keys of `requestState`, which all replicas have; undefined without a fleet. */
  get stateKey(): ServerContextOptions["stateKey"] | undefined {
    const secret = this.fleet?.secret;
    return secret && (() => Promise.resolve(secret.stateKeys()));
  }

  /** The parts of an endpoint that is a replica; empty before `share`, and without a fleet. */
  get forEndpoint(): Partial<HttpEndpointParts> {
    const { fleet } = this;
    const sessions = this.#sessions;
    if (fleet === undefined || sessions === undefined) return {};
    const { over: shareSessions, requestIds, createLog, pairRelay } = sessions;
    return { shareSessions, requestIds, createLog, pairRelay };
  }

  /**
   * From now on legacy sessions and changes are those of all replicas, and the server is degraded while the engine is away.
   * @throws SharedEngineError
   */
  async share(changes: Changes, state: PartsHealth): Promise<void> {
    const { fleet } = this;
    if (fleet === undefined) return;
    const [{ ChangeLog }, { FleetSessions }] = await Promise.all([
      import("../../fleet/changes/change-log.ts"),
      import("../../fleet/sessions/fleet-sessions.ts"),
    ]);
    const { engine, replica, tail } = fleet;
    state.watch("shared engine", () => engine.isWell);
    const log = await ChangeLog.start({ engine, replica, tail, changes });
    this.#log = log;
    const principalMax = Math.floor(httpSessionsMax * this.#principalPart);
    this.#sessions = await FleetSessions.start({ fleet, log, principalMax });
  }

  /** From now on requests that have a place elsewhere go there, and those of others come here. */
  async join(app: Application, endpoint: HttpEndpoint): Promise<void> {
    if (this.fleet === undefined) return;
    const module = await import("./places.ts");
    const [settings, warn, principalPart] = [this.#settings, this.#warn, this.#principalPart];
    const parts = { fleet: this.fleet, app, endpoint, settings, principalPart, warn };
    this.places = new module.Places(parts);
  }

  get #principalPart(): number {
    return needsToken(this.#settings) ? httpPrincipalPartMax : 1;
  }

  /** Others take over; resolves when their requests that run here are answered. */
  async drain(): Promise<void> {
    await this.places?.drain();
  }

  /** Resolves when the streams of sessions have had all events so far, which the engine gets first. */
  async settled(): Promise<void> {
    await this.#sessions?.settled();
  }

  /** The process goes: its sessions go on at other replicas. */
  leave(): void {
    this.#sessions?.leave();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#log?.[Symbol.dispose]();
    this.places?.[Symbol.dispose]();
    await this.fleet?.[Symbol.asyncDispose]();
  }
}

async function openFleetOf(
  { fleetName }: HttpSettings,
  warn: (message: string) => void,
): Promise<Fleet | undefined> {
  const sharedUrl = takeSecret("SHARED_URL");
  if (sharedUrl === undefined) {
    if (fleetName === undefined) return undefined;
    throw new AppError("usage", "--fleet needs SHARED_URL, the engine that its replicas share.");
  }
  const { openFleet } = await import("../../fleet/open-fleet.ts");
  return openFleet({ sharedUrl, fleetName, readSecret: () => takeSecret("FLEET_KEY"), warn });
}
