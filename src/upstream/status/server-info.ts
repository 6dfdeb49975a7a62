import { product } from "../../base/product.ts";
import type { ConfiguredServer, Isolation } from "../config/server-entry.ts";
import {
  type ConnectionState,
  installingFact,
  type ServerInfo,
  type ServerState,
} from "../server-state.ts";
import type { Offer } from "./judge-offer.ts";
import type { ServerPermission } from "./server-permission.ts";

/** The figures of `mcp status` about the calls to one server. */
export interface CallFacts {
  readonly calls: number;
  readonly failures: number;
  readonly resultBytes: number;
  /** Milliseconds; null before the first answer. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** Why the last calls to a connected server failed. */
export type CallTrouble = "slow" | "login";

/** All known facts about one server. */
export interface ServerFacts {
  readonly configured: ConfiguredServer;
  /** Undefined before the first check. */
  readonly permission: ServerPermission | undefined;
  /** The state of its first connection; undefined while none was wanted. */
  readonly connection: ConnectionState | undefined;
  readonly offer: Offer | undefined;
  /** Why the lists could not be read the last time. */
  readonly listProblem: string | undefined;
  readonly trouble: CallTrouble | undefined;
  readonly pid: number | undefined;
  readonly starts: number;
  /** The command line of its process, where it differs from the entry's. */
  readonly startedAs?: string | undefined;
  readonly isolation?: Isolation | undefined;
  readonly figures: CallFacts;
  readonly retryInMs: number | undefined;
  readonly dropped: number;
  readonly stderr: readonly string[];
}

interface Condition {
  readonly state: ServerState;
  readonly reason: string | null;
}

/** The facts of `mcp status` for one server. */
export function serverInfo(facts: ServerFacts): ServerInfo {
  const { configured, figures } = facts;
  const { entry } = configured;
  return {
    name: entry.name,
    ...conditionOf(facts),
    transport: entry.launch.transport,
    scope: entry.origin.scope,
    pid: facts.pid ?? null,
    ...offerInfo(facts.offer),
    starts: facts.starts,
    calls: figures.calls,
    failures: figures.failures,
    resultBytes: figures.resultBytes,
    p50Ms: figures.p50Ms,
    p95Ms: figures.p95Ms,
    retryInMs: facts.retryInMs ?? null,
    dropped: facts.dropped,
    ...installingInfo(facts.connection),
    ...(facts.startedAs === undefined ? {} : { startedAs: facts.startedAs }),
    ...(facts.isolation === undefined ? {} : { isolation: facts.isolation }),
    stderr: facts.stderr,
  };
}

type OfferInfo = Pick<
  ServerInfo,
  "era" | "protocolVersion" | "serverVersion" | "tools" | "resources" | "prompts" | "blocked"
>;

/** A server's description of itself and the size of its offer. */
function offerInfo(offer: Offer | undefined): OfferInfo {
  if (offer === undefined) return noOffer;
  const { catalogue, judged } = offer;
  const count = (state: string): number =>
    judged.tools.filter((tool) => tool.state === state).length;
  return {
    era: catalogue.era,
    protocolVersion: catalogue.protocolVersion,
    serverVersion: catalogue.serverInfo?.version ?? null,
    tools: count("approved"),
    resources: catalogue.resources.length,
    prompts: judged.prompts.filter(({ state }) => state === "approved").length,
    blocked: { pending: count("pending"), changed: count("changed"), denied: count("denied") },
  };
}

/** Used until the offer is known. */
const noOffer: OfferInfo = {
  era: null,
  protocolVersion: null,
  serverVersion: null,
  tools: 0,
  resources: 0,
  prompts: 0,
  blocked: { pending: 0, changed: 0, denied: 0 },
};

function installingInfo(connection: ConnectionState | undefined): Pick<ServerInfo, "installing"> {
  if (connection?.kind !== "starting" || connection.installing === undefined) return {};
  return { installing: connection.installing };
}

/** The status of a server, and the reason. */
export function conditionOf(facts: ServerFacts): Condition {
  const { permission, connection, offer } = facts;
  if (permission === undefined) return { state: "starting", reason: null };
  if (permission.kind === "disabled") return { state: "disabled", reason: null };
  if (permission.kind !== "usable") return { state: permission.kind, reason: permission.text };
  const reason = permission.note ?? null;
  switch (connection?.kind) {
    case "ready":
      return readyCondition(facts, reason);
    case "starting":
      if (connection.installing === undefined) return { state: "starting", reason };
      return { state: "installing", reason: installingFact(connection.installing) };
    case "down":
      return { state: connection.as, reason: downReason(facts.configured, connection) };
    case "stopped":
    case "idle":
    case undefined:
      return { state: offer === undefined ? "starting" : "cached", reason };
  }
}

function downReason(
  configured: ConfiguredServer,
  { as, reason }: Extract<ConnectionState, { kind: "down" }>,
): string {
  return as === "needs_auth" ? `${reason} ${loginAdvice(configured)}` : reason;
}

function readyCondition(facts: ServerFacts, reason: string | null): Condition {
  const { offer, listProblem, trouble } = facts;
  if (trouble === "login") {
    return { state: "needs_auth", reason: "It refused the last call without a login." };
  }
  if (trouble === "slow") {
    return {
      state: "degraded",
      reason: "Too many calls took too long: calls fail at once for a minute.",
    };
  }
  if (listProblem !== undefined) {
    return { state: "degraded", reason: `Its lists could not be read: ${listProblem}` };
  }
  // It is connected, and its first lists are being read.
  if (offer === undefined) return { state: "starting", reason };
  const problems = offer.catalogue.problems;
  return problems.length === 0
    ? { state: "ready", reason }
    : { state: "degraded", reason: problems.slice(0, 5).join(" ") };
}

/** The advice to the user for a server that wants a login. */
export function loginAdvice({ entry }: Pick<ConfiguredServer, "entry">): string {
  const { launch, name, options } = entry;
  const headers = launch.transport === "http" ? Object.keys(launch.headers) : [];
  const hasOwn = headers.some((header) => header.toLowerCase() === "authorization");
  if (hasOwn) return "Put a valid token into the Authorization header of its entry.";
  return options.oauth?.service === undefined
    ? `Log in: ${product.name} mcp login ${name}.`
    : `It logs in by itself: correct the oauth table of its entry, then try it: ${product.name} mcp login ${name}.`;
}
