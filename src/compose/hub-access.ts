import { messageOf } from "../base/errors.ts";
import { Lazy } from "../base/lazy.ts";
import type { ChannelPort } from "../base/worker-channel/channel-port.ts";
import type { Environment } from "../base/values.ts";
import type { StartUp } from "../cli/start-up.ts";
import { describeUser } from "../commands/process/process-origin.ts";
import { ownerVariable } from "../commands/process/processes.ts";
import { HubPort } from "../hub/hub-port.ts";
import { encodeHubArguments } from "../hub/hub-arguments.ts";
import type { HubLinkHandlers, HubPurpose } from "../hub/link/hub-link.ts";
import type { ReachedHub } from "../hub/link/reach-hub.ts";
import type { HubStart } from "../hub/link/start-hub.ts";
import type { UpstreamPorts } from "./lazy-upstreams.ts";
import type { ApplicationOptions } from "./program-parts.ts";

/**
 * How often the hub is asked whether it lives: seldom at rest; with a call in flight it is found within a second when its
 * process was stopped, and after five when it says nothing. Every client is whole again within two seconds of its end, however
 * often it ends (HB6): calls wait for the next one, and the pauses only keep a hub that cannot live from taking a processor.
 */
const hubTiming = {
  lookMs: 200,
  restLookMs: 2_000,
  silentLooksMax: 25,
  restartMs: 50,
  restartMsMax: 500,
  stableMs: 10_000,
  callsWait: true,
} as const;

type AccessOptions = Pick<
  ApplicationOptions,
  "env" | "warn" | "isPassive" | "isBrief" | "ownUrl" | "principals"
> & { readonly start: StartUp };

/** How this process reaches the hub: one for all its connections. Nothing of the hub is loaded before the first. */
export class HubAccess {
  readonly #options: AccessOptions;
  /** Names this process to the hub. */
  readonly clientKey = crypto.randomUUID();
  readonly #reach = new Lazy(async () => {
    const [{ reachHub }, { hubPlaceOf }] = await Promise.all([
      import("../hub/link/reach-hub.ts"),
      import("../hub/link/hub-place.ts"),
    ]);
    return { reachHub, hubPlaceOf };
  });
  /** The generation of the hub that has answered nothing. */
  #silent: number | undefined;
  #isFaultTold = false;

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /** Why this process does without a hub, for people; undefined where it uses one. */
  get whyNone(): string | undefined {
    return whyWithoutHub(this.#options);
  }

  /**
   * A connection, however long the hub's start takes; undefined where this process does without a hub. Never rejects.
   * @param signal ends the wait
   */
  async connect(
    purpose: HubPurpose,
    handlers: HubLinkHandlers,
    signal: AbortSignal,
  ): Promise<ReachedHub | undefined> {
    if (this.whyNone !== undefined) return undefined;
    try {
      const { reachHub, hubPlaceOf } = await this.#reach.get();
      const { start, isBrief } = this.#options;
      return await reachHub(hubPlaceOf(start.dirs.scorpioxDir), {
        purpose,
        clientKey: this.clientKey,
        handlers,
        signal,
        ...(this.#silent !== undefined && { silent: this.#silent }),
        // A command ends soon: it uses a hub that is there.
        ...(isBrief !== true && { start: this.#hubStart() }),
      });
    } catch (error) {
      if (!signal.aborted) this.#tellFault(messageOf(error));
      return undefined;
    }
  }

  /** A hub has answered nothing: it is not waited for as long as one of which nothing is known. */
  gaveUp(generation: number): void {
    this.#silent = generation;
  }

  /** The hub in the place of the upstream Worker; undefined where this process does without one. */
  upstreamPorts(openWorker: () => ChannelPort): UpstreamPorts | undefined {
    if (this.whyNone !== undefined) return undefined;
    return {
      openPort: () =>
        new HubPort({
          connect: (handlers, signal) => this.connect("upstream", handlers, signal),
          onSilent: (generation) => this.gaveUp(generation),
          openWorker,
        }),
      timing: hubTiming,
      portName: "hub",
    };
  }

  #hubStart(): HubStart {
    const { start, env } = this.#options;
    const { scorpioxDir, homeDir } = start.dirs;
    const { hub, shellPath } = start.config.settings;
    const given = {
      scorpioxDir,
      homeDir,
      shellPath: shellPath ?? null,
      idleS: hub.idleS,
    };
    return { env, user: describeUser(homeDir), args: [encodeHubArguments(given)] };
  }

  #tellFault(reason: string): void {
    if (this.#isFaultTold) return;
    this.#isFaultTold = true;
    this.#options.warn(
      `The hub cannot be used, so this process runs its MCP servers itself: ${reason}`,
    );
  }
}

/** Why this process does without a hub, for people; undefined where it uses one. */
function whyWithoutHub({
  start,
  env,
  isPassive,
  ownUrl,
  principals,
}: AccessOptions): string | undefined {
  const { mode } = start.config.settings.hub;
  if (process.platform === "win32") return "there is none on Windows";
  if (mode === "off") return "HUB=off";
  if (isPassive === true) return "this command starts its servers by itself";
  if (principals?.() !== undefined) return "it serves several users over HTTP";
  if (mode === "on") return undefined;
  if (ownUrl !== undefined) return "a server over HTTP uses none unless HUB=on";
  return surroundings(env);
}

/** Why this process uses no hub: somebody else has to end it with all that it started. */
function surroundings(env: Environment): string | undefined {
  const name = [ownerVariable, "SCORPIOX_DEPTH", "CI"].find((key) => (env[key] ?? "") !== "");
  return name === undefined ? undefined : `${name} is set, and HUB is not "on"`;
}
