import { cacheKeyOf } from "../cache/cache-key.ts";
import type { CatalogueCache } from "../cache/catalogue-cache.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { ServerInfo } from "../server-state.ts";
import { CallFigures } from "./call-figures.ts";
import { judgeOffer, type JudgeOfferParts } from "./judge-offer.ts";
import { serverInfo } from "./server-info.ts";
import { type StandingParts, standingOf } from "./standing.ts";

export interface RestingParts extends JudgeOfferParts {
  readonly options: JudgeOfferParts["options"] & StandingParts["options"];
  readonly cache: CatalogueCache;
}

/**
 * What is known of a server that does not run: by its entry, its approval and what an earlier run kept. Nothing is expanded,
 * started or written.
 */
export async function restingInfo(
  configured: ConfiguredServer,
  parts: RestingParts,
): Promise<ServerInfo> {
  const standing = await standingOf(configured, {
    ...parts,
    expand: ({ entry }) => Promise.resolve({ kind: "ready", launch: entry.launch, secrets: [] }),
  });
  const active = standing.kind === "usable" ? standing.active : configured;
  const cached =
    standing.kind === "usable" ? await parts.cache.read(cacheKeyOf(active)) : undefined;
  const info = serverInfo({
    configured: active,
    standing,
    link: undefined,
    offer:
      cached === undefined
        ? undefined
        : { ...cached, judged: await judgeOffer(active, cached.catalogue, parts) },
    listProblem: undefined,
    trouble: undefined,
    pid: undefined,
    starts: 0,
    figures: new CallFigures().facts(),
    retryInMs: undefined,
    dropped: 0,
    stderr: [],
  });
  if (info.state !== "starting") return info;
  return { ...info, state: "stopped", reason: info.reason ?? "Nothing is known of it yet." };
}
