import type { ConfiguredServer } from "../config/server-entry.ts";
import type { ServerCatalogue } from "../connect/server-catalogue.ts";
import { exposedName } from "../names/exposed-name.ts";
import { judgeCatalogue, type JudgedCatalogue } from "../trust/judge-catalogue.ts";
import { lockPinsOf } from "../trust/lock/read-lock.ts";
import { ToolRules } from "../trust/tool-rules.ts";
import { emptyPins, type ToolPins } from "../trust/trust-record.ts";
import type { TrustStore } from "../trust/trust-store.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";
import type { ManagerParts } from "./manager-parts.ts";

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
