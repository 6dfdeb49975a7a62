import type { Timer } from "../../base/cancellation.ts";
import {
  upstreamListWaitMs,
  upstreamListWaitMsMax,
  upstreamTrialLookMs,
  upstreamTrialMsMax,
} from "../../base/upstream-limits.ts";
import type { LaunchTrials, TrialClaim } from "../cache/launch-trials.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { ServerCatalogue } from "../connect/connection.ts";
import { exposedName } from "../names/assign-names.ts";
import { judgeCatalogue, type JudgedCatalogue } from "../trust/judge-catalogue.ts";
import { lockPinsOf } from "../trust/lock/read-lock.ts";
import { ToolRules } from "../trust/tool-rules.ts";
import { emptyPins, type ToolPins } from "../trust/trust-file.ts";
import type { TrustStore } from "../trust/trust-store.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";
import type { ConnectionTime } from "./connection-parts.ts";
import type { ManagerParts } from "./manager-parts.ts";

export interface FirstContactParts {
  readonly trials: LaunchTrials;
  readonly time: ConnectionTime;
  /** Reads what another process may have kept meanwhile; true when there is something. Never rejects. */
  readonly look: () => Promise<boolean>;
  /** Starts the server. */
  readonly start: () => void;
  readonly onChange: () => void;
}

/**
 * The time until something is known of a server that no run has heard of: who starts it, and whether lists wait for that
 * (CN1, CN3). While another process of this user starts the same launch we do not: what it hears is ours as well, and ten
 * clients that start at once are one start.
 */
export class FirstContact {
  readonly #parts: FirstContactParts;
  readonly #identity: string;
  /** Undefined until we have looked. */
  #claim: TrialClaim | undefined;
  #isOver = false;
  /** Our own start has had the time that lists give it. */
  #hasHadItsTime = false;
  /** Lists have waited for as long as they ever do. */
  #isLate = false;
  #relyUntil = 0;
  #cap: Timer | undefined;
  #begun: Timer | undefined;
  #next: Timer | undefined;

  constructor(identity: string, parts: FirstContactParts) {
    this.#identity = identity;
    this.#parts = parts;
  }

  /** Lists wait for it: not for ever, and not for what was tried before in vain. */
  get holdsLists(): boolean {
    if (this.#isOver || this.#isLate || this.isHopeless) return false;
    // Another process may be further than we are.
    return !this.#hasHadItsTime || this.#next !== undefined;
  }

  /** An earlier run has tried it as well and heard nothing: nobody waits for it. */
  get isHopeless(): boolean {
    return this.#claim === "tried";
  }

  /** Finds out who tries it. Never rejects. */
  async claim(): Promise<TrialClaim> {
    const claim = await this.#parts.trials.claim(this.#identity);
    this.#claim = claim;
    if (this.#isOver) return claim;
    this.#relyUntil = this.#parts.time.now() + upstreamTrialMsMax;
    this.#cap ??= this.#parts.time.after(upstreamListWaitMsMax, () => {
      this.#isLate = true;
      this.#parts.onChange();
    });
    return claim;
  }

  /** Sees to it that it is started: by us, unless another process does it right now. @param isEager by us too */
  begin(isEager: boolean): void {
    if (this.#isOver) return;
    if (this.#claim === "others") this.#next ??= this.#lookLater();
    if (this.#claim !== "others" || isEager) this.#parts.start();
  }

  /** Our process of it runs, or its address is being asked: from here on it has the time that lists give it. */
  onBegun(): void {
    if (this.#isOver || this.#begun !== undefined) return;
    this.#begun = this.#parts.time.after(upstreamListWaitMs, () => {
      this.#hasHadItsTime = true;
      this.#parts.onChange();
    });
  }

  /** We have heard of it, and that is kept. Never rejects. */
  async onHeard(): Promise<void> {
    if (this.#end()) await this.#parts.trials.succeed(this.#identity);
  }

  /** Our start of it has failed. */
  async onFailed(): Promise<void> {
    if (!this.#isOver && this.#claim === "ours") await this.#parts.trials.fail(this.#identity);
  }

  /** It may not be used any more, or we end. */
  async leave(): Promise<void> {
    if (this.#end() && this.#claim === "ours") await this.#parts.trials.leave(this.#identity);
  }

  #lookLater(): Timer {
    return this.#parts.time.after(upstreamTrialLookMs, () => void this.#lookNow());
  }

  /** Until it is known, nobody else tries it any more, or that takes too long. */
  async #lookNow(): Promise<void> {
    if (await this.#parts.look()) return void this.#end();
    const claim = await this.#parts.trials.claim(this.#identity);
    if (this.#isOver) return;
    // By our own clock too: that of the mark may be set back.
    if (claim === "others" && this.#parts.time.now() < this.#relyUntil) {
      this.#next = this.#lookLater();
      return;
    }
    // Whoever tried it may have kept something between our two looks.
    if (claim === "ours" && (await this.#parts.look())) return this.onHeard();
    this.#next = undefined;
    // That others have failed says nothing of us: lists wait for our start as they would have for theirs.
    this.#claim = claim === "ours" ? "ours" : "slow";
    this.#parts.start();
    this.#parts.onChange();
  }

  /** False when it was over already. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    for (const timer of [this.#cap, this.#begun, this.#next]) timer?.stop();
    return true;
  }
}

export interface JudgeOfferParts extends Pick<ManagerParts, "trust" | "rules" | "lock"> {
  readonly options: Pick<UpstreamOptions, "onChange" | "toolNameMax">;
}

/** Says what of a server's offer may be used, by the approvals and rules of now. Writes nothing. */
export async function judgeOffer(
  { entry, identity }: ConfiguredServer,
  catalogue: ServerCatalogue,
  { options, trust, rules, lock }: JudgeOfferParts,
): Promise<JudgedCatalogue> {
  return judgeCatalogue(catalogue, {
    server: entry.name,
    pins: await pinsOf(identity, trust),
    lockPins: lockPinsOf(lock(), entry.name),
    definitions: await trust.definitionsOf(identity),
    autoApprove: entry.options.autoApprove,
    onChange: options.onChange,
    rules: new ToolRules(entry, rules()),
    nameOf: (tool) => exposedName(entry.name, tool, options.toolNameMax),
  });
}

/** With a file that cannot be used nothing counts as approved, and nothing as a first contact. */
async function pinsOf(identity: string, trust: TrustStore): Promise<ToolPins | undefined> {
  const pins = await trust.pinsOf(identity);
  if (pins !== undefined) return pins;
  return (await trust.problem()) === undefined ? undefined : emptyPins;
}
