import { AppError } from "../base/errors.ts";
import type { FlagTable, ParsedArguments } from "./flags.ts";

/** How to serve over HTTP, as the command line says. */
export interface HttpSettings {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly path: string;
  readonly tokenFile: string | undefined;
  readonly keySetUrl: string | undefined;
  readonly issuer: string | undefined;
  readonly audience: string | undefined;
  readonly resource: string | undefined;
  readonly toolScopes: string | undefined;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly tlsCertificate: string | undefined;
  readonly tlsKey: string | undefined;
  readonly hasMetrics: boolean;
  /** Where HTTP+SSE, the transport of 2024-11-05, is served too: its stream, and what is sent to it. */
  readonly ssePair: { readonly stream: string; readonly messages: string } | undefined;
}

const defaultPath = "/mcp";

export const httpFlags: FlagTable = {
  http: {
    kind: "text",
    placeholder: "ADDRESS",
    help: "Serve Streamable HTTP instead, for instance at 127.0.0.1:8808; port 0 takes a free one.",
  },
  path: { kind: "text", placeholder: "PATH", help: "Path of the endpoint. Default: /mcp." },
  "token-file": {
    kind: "text",
    placeholder: "FILE",
    help: "Take the bearer tokens in this file, one in a line: [LABEL] TOKEN [SCOPE …].",
  },
  jwks: {
    kind: "text",
    placeholder: "URL",
    help: "Take signed tokens (JWT) whose keys are here; needs --issuer and --resource.",
  },
  issuer: { kind: "text", placeholder: "URL", help: "The issuer that signed tokens must have." },
  resource: {
    kind: "text",
    placeholder: "URL",
    help: "This endpoint as clients write it, such as https://mcp.example.com/mcp.",
  },
  audience: {
    kind: "text",
    placeholder: "TEXT",
    help: "The audience that signed tokens must have. Default: --resource.",
  },
  "tool-scopes": {
    kind: "text",
    placeholder: "LIST",
    help: "Scopes that tools need, such as Bash=tools:exec,*=tools:use.",
  },
  "allow-origin": {
    kind: "list",
    placeholder: "ORIGIN",
    help: "Answer web pages of this origin too, such as https://app.example.com. May be repeated.",
  },
  "allow-host": {
    kind: "list",
    placeholder: "NAME",
    help: "Answer requests for this host name too. May be repeated.",
  },
  sse: {
    kind: "switch",
    help: "Serve clients that have HTTP+SSE only (2024-11-05) too, at /sse beside --path.",
  },
  metrics: { kind: "switch", help: "Serve figures for Prometheus at /metrics." },
  "tls-cert": { kind: "text", placeholder: "FILE", help: "Serve TLS with this certificate (PEM)." },
  "tls-key": { kind: "text", placeholder: "FILE", help: "The key of --tls-cert (PEM)." },
};

/**
 * Undefined without `--http`.
 * @throws AppError `usage` for an address that is none, or flags that need `--http`
 */
export function readHttpSettings(args: ParsedArguments): HttpSettings | undefined {
  const address = args.text("http");
  if (address === undefined) {
    const stray = Object.keys(httpFlags).find((flag) => args.has(flag));
    if (stray === undefined) return undefined;
    throw new AppError("usage", `--${stray} needs --http ADDRESS, such as --http 127.0.0.1:8808.`);
  }
  const tlsCertificate = args.text("tls-cert");
  const tlsKey = args.text("tls-key");
  if ((tlsCertificate === undefined) !== (tlsKey === undefined)) {
    throw new AppError("usage", "--tls-cert and --tls-key need each other.");
  }
  const path = parsePath(args.text("path") ?? defaultPath);
  return {
    ...parseAddress(address),
    path,
    tokenFile: args.text("token-file"),
    keySetUrl: args.text("jwks"),
    issuer: args.text("issuer"),
    audience: args.text("audience"),
    resource: args.text("resource"),
    toolScopes: args.text("tool-scopes"),
    allowedOrigins: args.list("allow-origin"),
    allowedHosts: args.list("allow-host"),
    tlsCertificate,
    tlsKey,
    hasMetrics: args.has("metrics"),
    ssePair: args.has("sse") ? pairBeside(path) : undefined,
  };
}

/** `HOST:PORT`, `[IPV6]:PORT` or a port alone, which means 127.0.0.1. */
function parseAddress(address: string): { host: string; port: number } {
  const match = /^(?:(\[[0-9a-f:.]+\]|[^:[\]/\s]+):)?(\d{1,5})$/i.exec(address);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535) {
    throw new AppError(
      "usage",
      `--http ${address} is no address: write HOST:PORT, such as 127.0.0.1:8808 or [::1]:8808.`,
    );
  }
  const host = match[1] ?? "127.0.0.1";
  return { host: host.replace(/^\[|\]$/g, ""), port };
}

function parsePath(path: string): string {
  if (/^\/[\w\-./~]*$/.test(path) && !path.includes("//")) return path;
  throw new AppError("usage", `--path ${path} is no path: write it like /mcp.`);
}

function pairBeside(path: string): HttpSettings["ssePair"] {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const pair = { stream: `${folder}sse`, messages: `${folder}messages` };
  if (path !== pair.stream && path !== pair.messages) return pair;
  throw new AppError(
    "usage",
    `--path ${path} is what --sse serves: give another path, or no --sse.`,
  );
}
