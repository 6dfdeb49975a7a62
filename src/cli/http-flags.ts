import { AppError } from "../base/errors.ts";
import type { FlagTable } from "./flags.ts";
import type { ParsedArguments } from "./command-io.ts";

/** The paths of HTTP+SSE: its stream, and its messages. */
interface SsePairPaths {
  readonly stream: string;
  readonly messages: string;
}

/** @throws AppError `usage` for an invalid path, or one that the server already uses */
function parsePath(path: string, hasMetrics: boolean): string {
  if (!isPath(path))
    throw new AppError("usage", `--path ${path} is not a path: write it like /mcp.`);
  const owner = ownerOf(path, hasMetrics);
  if (owner === undefined) return path;
  throw new AppError(
    "usage",
    `--path ${path} is taken by ${owner}: use another path, such as /mcp.`,
  );
}

function isPath(path: string): boolean {
  // Clients take dots out before they send.
  const hasDots = path.split("/").some((part) => part === "." || part === "..");
  return /^\/[\w\-./~]*$/.test(path) && !path.includes("//") && !hasDots;
}

function ownerOf(path: string, hasMetrics: boolean): string | undefined {
  if (path === "/healthz" || path === "/readyz") return "the health check";
  if (path === "/metrics" && hasMetrics) return "--metrics";
  if (`${path}/`.startsWith("/.well-known/")) return "the documents for authorization";
  return undefined;
}

/**
 * The paths of `--sse`, in the folder of `path`.
 * @throws AppError `usage` when one of them is `path`
 */
function pairBeside(path: string): SsePairPaths {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const pair = { stream: `${folder}sse`, messages: `${folder}messages` };
  if (path !== pair.stream && path !== pair.messages) return pair;
  throw new AppError(
    "usage",
    `--path ${path} is served by --sse: use another path, or drop --sse.`,
  );
}

/** How to serve over HTTP, as the command line says. */
export interface HttpSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly path: string;
  readonly tokenFile: string | undefined;
  readonly keySetUrl: string | undefined;
  readonly issuer: string | undefined;
  readonly audience: string | undefined;
  readonly resource: string | undefined;
  readonly toolScopes: string | undefined;
  /** Without tokens: every account of this machine may use the server. */
  readonly allowsAnyLocalUser: boolean;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly tlsCertificate: string | undefined;
  readonly tlsKey: string | undefined;
  readonly hasMetrics: boolean;
  /** Where HTTP+SSE, the transport of 2024-11-05, is served too. */
  readonly ssePair: SsePairPaths | undefined;
}

const defaultPath = "/mcp";

export const httpFlags: FlagTable = {
  http: {
    kind: "text",
    placeholder: "ADDRESS",
    help: "Serve Streamable HTTP instead, for instance at 127.0.0.1:8808; port 0 picks a free port.",
  },
  path: { kind: "text", placeholder: "PATH", help: "Path of the endpoint. Default: /mcp." },
  "token-file": {
    kind: "text",
    placeholder: "FILE",
    help: "Accept the bearer tokens in this file, one per line: [LABEL] TOKEN [SCOPE …].",
  },
  jwks: {
    kind: "text",
    placeholder: "URL",
    help: "Accept signed tokens (JWT) with the keys at this URL; needs --issuer and --resource.",
  },
  issuer: { kind: "text", placeholder: "URL", help: "Required issuer of signed tokens." },
  resource: {
    kind: "text",
    placeholder: "URL",
    help: "The URL of this endpoint as clients write it, such as https://mcp.example.com/mcp.",
  },
  audience: {
    kind: "text",
    placeholder: "TEXT",
    help: "Required audience of signed tokens. Default: --resource.",
  },
  "tool-scopes": {
    kind: "text",
    placeholder: "LIST",
    help: "Scopes that tools require, such as Bash=tools:exec,*=tools:use; Bash covers BackgroundBash too.",
  },
  "allow-any-local-user": {
    kind: "switch",
    help: "Without tokens: let every account of this machine run commands as you, not only you and root.",
  },
  "allow-origin": {
    kind: "list",
    placeholder: "ORIGIN",
    help: "Also answer web pages of this origin, such as https://app.example.com. May be repeated.",
  },
  "allow-host": {
    kind: "list",
    placeholder: "NAME",
    help: "Also answer requests for this host name. May be repeated.",
  },
  sse: {
    kind: "switch",
    help: "Also serve clients that only have HTTP+SSE (2024-11-05), at /sse beside --path.",
  },
  metrics: { kind: "switch", help: "Serve metrics for Prometheus at /metrics." },
  "tls-cert": { kind: "text", placeholder: "FILE", help: "Serve TLS with this certificate (PEM)." },
  "tls-key": { kind: "text", placeholder: "FILE", help: "The key of --tls-cert (PEM)." },
};

/**
 * Undefined without `--http`.
 * @throws AppError `usage` for an invalid address or path, or flags that do nothing without another
 */
export function readHttpSettings(args: ParsedArguments): HttpSettings | undefined {
  const address = args.text("http");
  if (address === undefined) {
    const stray = Object.keys(httpFlags).find((flag) => args.has(flag));
    if (stray === undefined) return undefined;
    throw new AppError("usage", `--${stray} needs --http ADDRESS, such as --http 127.0.0.1:8808.`);
  }
  refuseLonely(args);
  const hasMetrics = args.has("metrics");
  const path = parsePath(args.text("path") ?? defaultPath, hasMetrics);
  return {
    ...parseAddress(address),
    path,
    tokenFile: args.text("token-file"),
    keySetUrl: args.text("jwks"),
    issuer: args.text("issuer"),
    audience: args.text("audience"),
    resource: args.text("resource"),
    toolScopes: args.text("tool-scopes"),
    allowsAnyLocalUser: args.has("allow-any-local-user"),
    allowedOrigins: args.list("allow-origin"),
    allowedHosts: args.list("allow-host"),
    tlsCertificate: args.text("tls-cert"),
    tlsKey: args.text("tls-key"),
    hasMetrics,
    ssePair: args.has("sse") ? pairBeside(path) : undefined,
  };
}

/** Rejects flags that would do nothing: the user believes that they do something. */
function refuseLonely(args: ParsedArguments): void {
  if (args.has("tls-cert") !== args.has("tls-key")) {
    throw new AppError("usage", "--tls-cert and --tls-key must be given together.");
  }
  const hasTokens = args.has("token-file") || args.has("jwks");
  if (args.has("allow-any-local-user") && hasTokens) {
    throw new AppError(
      "usage",
      "--allow-any-local-user is for a server without tokens: a client with a token may connect from any account.",
    );
  }
  if (args.has("tool-scopes") && !hasTokens) {
    throw new AppError(
      "usage",
      "--tool-scopes needs --token-file or --jwks: without tokens every client may use every tool.",
    );
  }
  const stray = ["issuer", "resource", "audience"].find((flag) => args.has(flag));
  if (stray === undefined || args.has("jwks")) return;
  throw new AppError(
    "usage",
    `--${stray} needs --jwks URL: it is for signed tokens, which are accepted only with keys.`,
  );
}

/** `HOST:PORT`, `[IPV6]:PORT` or a port alone, which means 127.0.0.1. */
function parseAddress(address: string): { host: string; port: number } {
  const match = /^(?:(\[[0-9a-f:.]+\]|[^:[\]/\s]+):)?(\d{1,5})$/i.exec(address);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535) {
    throw new AppError(
      "usage",
      `--http ${address} is not an address: write HOST:PORT, such as 127.0.0.1:8808 or [::1]:8808.`,
    );
  }
  const host = match[1] ?? "127.0.0.1";
  return { host: host.replace(/^\[|\]$/g, ""), port };
}
