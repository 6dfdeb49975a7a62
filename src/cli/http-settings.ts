import { AppError } from "../base/errors.ts";
import { httpDrainMsDefault, httpDrainMsMax } from "../base/limits.ts";
import { hasTokenStore } from "../state/tokens/token-store.ts";
import type { ConfigEntry } from "../config/resolution.ts";
import { type CommandIo, ParsedArguments } from "./command-io.ts";
import { defaultAddress, fenceModes } from "./http-flags.ts";
import { type HttpValues, readHttpValues } from "./http-values.ts";

/** The paths of HTTP+SSE: its stream, and its messages. */
interface SsePairPaths {
  readonly stream: string;
  readonly messages: string;
}

interface ListenAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

/** How to serve over HTTP, as flags, environment and `http.toml` say. */
export interface HttpSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly path: string;
  readonly tokenFile: string | undefined;
  /** Tokens were made by `token add`: they are accepted, and without one nobody is. */
  readonly hasMadeTokens: boolean;
  readonly keySetUrl: string | undefined;
  readonly issuer: string | undefined;
  readonly audience: string | undefined;
  readonly resource: string | undefined;
  readonly groupsClaim: string | undefined;
  readonly toolScopes: string | undefined;
  /** Without tokens: every account of this machine may use the server. */
  readonly allowsAnyLocalUser: boolean;
  /** Several principals: their commands run as one person's, and each sees all that the server's user does. */
  readonly trustsCommands: boolean;
  /** Several principals: their sandboxed commands have the network. */
  readonly hasCommandNetwork: boolean;
  /** Several principals: pages that were fetched without credentials are in one cache. */
  readonly sharesCache: boolean;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly tlsCertificate: string | undefined;
  readonly tlsKey: string | undefined;
  /** Where metrics and details are served: at the port of the endpoint, or at an address of their own. */
  readonly metrics: "here" | ListenAddress | undefined;
  /** The file of the access log; `-` is stdout. */
  readonly accessLog: string | undefined;
  /** The collector for traces and metrics, as it was written. */
  readonly otlpUrl: string | undefined;
  /** Degraded is not ready. */
  readonly isReadyStrict: boolean;
  /** How long requests may go on after a signal. */
  readonly drainMs: number;
  /** Where HTTP+SSE, the transport of 2024-11-05, is served too. */
  readonly ssePair: SsePairPaths | undefined;
  /** Undefined: `default`. Of use with `SHARED_URL` only. */
  readonly fleetName: string | undefined;
  readonly fence: (typeof fenceModes)[number];
}

const defaultPath = "/mcp";

/** Whether clients need a token. */
export function needsToken(settings: HttpSettings): boolean {
  const { tokenFile, keySetUrl, hasMadeTokens } = settings;
  return tokenFile !== undefined || keySetUrl !== undefined || hasMadeTokens;
}

/**
 * @param hasEngineTokens whether tokens were made in the engine of STORE_URL
 * @throws AppError `usage` for an invalid address or path, or settings that do nothing without another
 */
export function readHttpSettings(
  values: HttpValues,
  scorpioxDir: string,
  hasEngineTokens = false,
): HttpSettings {
  const hasMadeTokens = hasEngineTokens || hasTokenStore(scorpioxDir);
  refuseLonely(values, hasMadeTokens);
  const path = parsePath(values);
  return {
    ...parseAddress(values, "http", values.text("http") ?? defaultAddress),
    path,
    tokenFile: values.text("token-file"),
    hasMadeTokens,
    keySetUrl: values.text("jwks"),
    issuer: values.text("issuer"),
    audience: values.text("audience"),
    resource: values.text("resource"),
    groupsClaim: values.text("groups-claim"),
    toolScopes: values.text("tool-scopes"),
    allowsAnyLocalUser: values.has("allow-any-local-user"),
    trustsCommands: values.text("commands") === "trusted",
    hasCommandNetwork: values.has("commands-network"),
    sharesCache: values.has("share-cache"),
    allowedOrigins: values.list("allow-origin"),
    allowedHosts: values.list("allow-host"),
    tlsCertificate: values.text("tls-cert"),
    tlsKey: values.text("tls-key"),
    metrics: parseMetrics(values),
    accessLog: values.text("access-log"),
    otlpUrl: values.text("otlp"),
    isReadyStrict: values.has("ready-strict"),
    drainMs: parseDrain(values),
    ssePair: values.has("sse") ? pairBeside(path, values) : undefined,
    fleetName: values.text("fleet"),
    fence: parseFence(values),
  };
}

function parseFence(values: HttpValues): HttpSettings["fence"] {
  const text = values.text("fence") ?? "kill";
  const mode = fenceModes.find((each) => each === text);
  if (mode !== undefined) return mode;
  throw new AppError("usage", `${values.shown("fence")} is not one of ${fenceModes.join(", ")}.`);
}

/** The settings of the environment and `http.toml`. @throws AppError as `serve --http` does when it cannot use one */
export function httpEntries(io: CommandIo, scorpioxDir: string): readonly ConfigEntry[] {
  const values = readHttpValues(new ParsedArguments(new Map(), []), io, scorpioxDir);
  readHttpSettings(values, scorpioxDir);
  return values.entries();
}

/** Rejects settings that would do nothing. */
function refuseLonely(values: HttpValues, hasMadeTokens: boolean): void {
  if (values.has("tls-cert") !== values.has("tls-key")) {
    throw new AppError("usage", "--tls-cert and --tls-key must be given together.");
  }
  const hasTokens = hasMadeTokens || values.has("token-file") || values.has("jwks");
  if (values.has("allow-any-local-user") && hasTokens) {
    throw new AppError(
      "usage",
      `${values.nameOf("allow-any-local-user")} is for a server without tokens: a client with a token may connect from any account.${hasMadeTokens ? ' There are tokens of "token add": move http-tokens.json away to be without.' : ""}`,
    );
  }
  if (values.has("tool-scopes") && !hasTokens) {
    throw new AppError(
      "usage",
      `${values.nameOf("tool-scopes")} needs --token-file, --jwks or "token add": without tokens every client may use every tool.`,
    );
  }
  const stray = ["issuer", "audience", "groups-claim"].find((flag) => values.has(flag));
  if (stray === undefined || values.has("jwks")) return;
  throw new AppError(
    "usage",
    `${values.nameOf(stray)} needs --jwks URL: it is for signed tokens, which are accepted only with keys.`,
  );
}

/** `HOST:PORT`, `[IPV6]:PORT` or a port alone, which means 127.0.0.1. */
function parseAddress(values: HttpValues, flag: string, address: string): ListenAddress {
  const match = /^(?:(\[[0-9a-f:.]+\]|[^:[\]/\s]+):)?(\d{1,5})$/i.exec(address);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535) {
    throw new AppError(
      "usage",
      `${values.shown(flag)} is not an address: write HOST:PORT, such as 127.0.0.1:8808 or [::1]:8808.`,
    );
  }
  const host = match[1] ?? "127.0.0.1";
  return { host: host.replace(/^\[|\]$/g, ""), port };
}

function parseMetrics(values: HttpValues): HttpSettings["metrics"] {
  const text = values.text("metrics");
  if (text === undefined || text === "true") return text && "here";
  return parseAddress(values, "metrics", text);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

function parseDrain(values: HttpValues): number {
  const text = values.text("drain");
  if (text === undefined) return httpDrainMsDefault;
  const [, count, unit = "s"] = /^(\d{1,9})\s*(ms|s|m)?$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit] ?? 1);
  if (ms <= httpDrainMsMax) return ms;
  throw new AppError(
    "usage",
    `${values.shown("drain")} is not a time: write seconds or minutes, such as 30s, and at most 60m.`,
  );
}

/** @throws AppError `usage` for an invalid path, or one that the server already uses */
function parsePath(values: HttpValues): string {
  const path = values.text("path") ?? defaultPath;
  if (!isPath(path))
    throw new AppError("usage", `${values.shown("path")} is not a path: write it like /mcp.`);
  const owner = ownerOf(path, values.text("metrics") === "true");
  if (owner === undefined) return path;
  const taken = `${values.shown("path")} is taken by ${owner}`;
  throw new AppError("usage", `${taken}: use another path, such as /mcp.`);
}

function isPath(path: string): boolean {
  // Clients take dots out before they send.
  const hasDots = path.split("/").some((part) => part === "." || part === "..");
  return /^\/[\w\-./~]*$/.test(path) && !path.includes("//") && !hasDots;
}

function ownerOf(path: string, hasMetrics: boolean): string | undefined {
  if (path === "/healthz" || path === "/readyz") return "the health check";
  if ((path === "/metrics" || path === "/status") && hasMetrics) return "--metrics";
  if (`${path}/`.startsWith("/oauth/")) return "the pages on which users log in";
  if (`${path}/`.startsWith("/.well-known/")) return "the documents for authorization";
  return undefined;
}

/**
 * The paths of `--sse`, in the folder of `path`.
 * @throws AppError `usage` when one of them is `path`
 */
function pairBeside(path: string, values: HttpValues): SsePairPaths {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const pair = { stream: `${folder}sse`, messages: `${folder}messages` };
  if (path !== pair.stream && path !== pair.messages) return pair;
  const served = `${values.shown("path")} is served by --sse`;
  throw new AppError("usage", `${served}: use another path, or drop --sse.`);
}
