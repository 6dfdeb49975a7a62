import type { ConfiguredServer, ToolRule } from "../config/server-entry.ts";
import type { ServerCatalogue } from "../connect/connection.ts";
import { exposedName } from "../names/assign-names.ts";
import { judgeCatalogue, type JudgedCatalogue } from "../trust/judge-catalogue.ts";
import { type LockReading, lockPinsOf } from "../trust/lock/read-lock.ts";
import { ToolRules } from "../trust/tool-rules.ts";
import { emptyPins, type ToolPins } from "../trust/trust-file.ts";
import type { TrustStore } from "../trust/trust-store.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";

/** The last known offer of a server, judged by approvals and rules. */
export interface Offer {
  readonly catalogue: ServerCatalogue;
  readonly judged: JudgedCatalogue;
}

export interface JudgeOfferParts {
  readonly options: Pick<UpstreamOptions, "onChange" | "toolNameMax">;
  readonly trust: TrustStore;
  /** Globs of the current configuration. */
  readonly rules: () => readonly ToolRule[];
  /** The project's `mcp.lock` as it was last read. */
  readonly lock: () => LockReading;
}

/** Judges a server's offer by the current approvals and rules. Writes nothing. */
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

/** The approvals of a server. With an unusable file, nothing is approved and nothing is a first contact. */
async function pinsOf(identity: string, trust: TrustStore): Promise<ToolPins | undefined> {
  const pins = await trust.pinsOf(identity);
  if (pins !== undefined) return pins;
  return (await trust.problem()) === undefined ? undefined : emptyPins;
}
