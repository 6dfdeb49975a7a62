import type { ClientContext, ClientLimits } from "../gateway/call.ts";
import { readName } from "../protocol/envelope.ts";
import { isObject, type Params } from "../protocol/json-rpc.ts";
import { isLegacyVersion, legacyVersionLatest, type LegacyVersion } from "../protocol/versions.ts";
import type { ClientRequests } from "./client-requests.ts";
import { WorkspaceRoots } from "./workspace-roots.ts";

/** Levels of `logging/setLevel`, least severe first (RFC 5424). */
export const logLevels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;
export type LogLevel = (typeof logLevels)[number];

/** What the composition root knows of the client before it has said anything. */
export interface ClientProfile {
  /** Whom live state belongs to; see `ClientContext.id`. */
  readonly id: string;
  /** How much a client of this `clientInfo.name` takes. */
  limitsFor(clientName: string | undefined): ClientLimits;
  /** Where commands run when the client offers no root. */
  readonly fallbackDir: string;
}

/** State of the `initialize` handshake. Only legacy requests look at it (legacy.md section 1). */
export class Session {
  readonly #profile: ClientProfile;
  readonly #roots: WorkspaceRoots;
  #version: LegacyVersion | undefined;
  #client: ClientContext;
  #offersRoots = false;
  #isInitialized = false;
  #logLevel: LogLevel = "info";

  constructor(profile: ClientProfile, requests: ClientRequests) {
    this.#profile = profile;
    this.#roots = new WorkspaceRoots(requests, profile.fallbackDir);
    this.#client = this.#contextFor(undefined);
  }

  /** The negotiated revision; undefined before `initialize`. */
  get version(): LegacyVersion | undefined {
    return this.#version;
  }

  /** Whom a legacy call is for. */
  get client(): ClientContext {
    return this.#client;
  }

  get logLevel(): LogLevel {
    return this.#logLevel;
  }

  /** Takes the parameters of `initialize`; a revision that we do not have becomes our latest (legacy.md section 4). */
  begin(params: Params | undefined): LegacyVersion {
    const requested = params?.protocolVersion;
    this.#version = isLegacyVersion(requested) ? requested : legacyVersionLatest;
    this.#offersRoots = isObject(params?.capabilities) && isObject(params.capabilities.roots);
    this.#isInitialized = false;
    this.#logLevel = "info";
    this.#roots.forget();
    this.#client = this.#contextFor(readName(params?.clientInfo));
    return this.#version;
  }

  /** `notifications/initialized`: from here on the client may be asked for its roots. */
  markInitialized(): void {
    this.#isInitialized = true;
  }

  setLogLevel(level: LogLevel): void {
    this.#logLevel = level;
  }

  forgetRoots(): void {
    this.#roots.forget();
  }

  /** Whom a modern call is for: nothing of the session but the identity of the pipe (modern.md section 1). */
  modernClient(clientName: string | undefined): ClientContext {
    const { id, fallbackDir } = this.#profile;
    const limits = this.#profile.limitsFor(clientName);
    return { id, limits, workspaceDir: () => Promise.resolve(fallbackDir) };
  }

  #contextFor(clientName: string | undefined): ClientContext {
    const limits = this.#profile.limitsFor(clientName);
    return { id: this.#profile.id, limits, workspaceDir: () => this.#workspaceDir() };
  }

  async #workspaceDir(): Promise<string> {
    const mayAsk = this.#offersRoots && this.#isInitialized;
    return mayAsk ? this.#roots.directory() : this.#profile.fallbackDir;
  }
}
