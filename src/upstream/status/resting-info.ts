import { type CatalogueCache, cacheKeyOf } from "../cache/catalogue-cache.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { ServerInfo } from "../server-state.ts";
import { judgeOffer, type JudgeOfferParts } from "./judge-offer.ts";
import { type CallFacts, serverInfo } from "./server-info.ts";
import { permissionOf, type PermissionParts } from "./server-permission.ts";

interface RestingParts extends JudgeOfferParts {
  readonly options: JudgeOfferParts["options"] & PermissionParts["options"];
  readonly cache: CatalogueCache;
}

const noCalls: CallFacts = {
  calls: 0,
  failures: 0,
  resultBytes: 0,
  p50Ms: null,
  p95Ms: null,
};

/**
 * The facts about a server that does not run, from its entry, its approval and the cache of an earlier run. Expands,
 * starts and writes nothing.
 */
export async function restingInfo(
  configured: ConfiguredServer,
  parts: RestingParts,
): Promise<ServerInfo> {
  const permission = await permissionOf(configured, {
    ...parts,
    expand: ({ entry }) => Promise.resolve({ kind: "ready", launch: entry.launch, secrets: [] }),
  });
  const active = permission.kind === "usable" ? permission.active : configured;
  const cached =
    permission.kind === "usable" ? await parts.cache.read(cacheKeyOf(active)) : undefined;
  const info = serverInfo({
    configured: active,
    permission,
    connection: undefined,
    offer:
      cached === undefined
        ? undefined
        : { ...cached, judged: await judgeOffer(active, cached.catalogue, parts) },
    listProblem: undefined,
    trouble: undefined,
    pid: undefined,
    starts: 0,
    figures: noCalls,
    retryInMs: undefined,
    dropped: 0,
    stderr: [],
  });
  if (info.state !== "starting") return info;
  return { ...info, state: "stopped", reason: info.reason ?? "It has not been started yet." };
}
