import type { FlagSpec } from "./flags.ts";

/** A flag of `serve --http`, which `http.toml` and the environment can set too (`http-values.ts`). */
export interface HttpFlag extends FlagSpec {
  /** Its key in `http.toml`; without it the flag's name, with `_` for `-`. */
  readonly key?: string;
  /** True for a text of `name=value` parts with commas between them: `http.toml` may have a table instead. */
  readonly isTable?: true;
  /** Its value is the path of a file: one in `http.toml` is relative to that file. */
  readonly isPath?: true;
  /** It is a switch too: bare, or with the value `true`, its text is `true`. */
  readonly isSwitchToo?: true;
}

/** The address of a server over HTTP when none is given. */
export const defaultAddress = "127.0.0.1:8808";

/** The values of `commands`. */
const commandModes = ["sandboxed", "trusted"] as const;

/** All that can be said of serving over HTTP: each row is a flag, a key of `http.toml` and a variable. */
export const httpFlags: Readonly<Record<string, HttpFlag>> = {
  http: {
    kind: "text",
    key: "listen",
    mayBeBare: true,
    placeholder: "[ADDRESS]",
    help: `Serve Streamable HTTP instead, for instance at 127.0.0.1:8808; port 0 picks a free port. Default: ${defaultAddress}.`,
  },
  path: { kind: "text", placeholder: "PATH", help: "Path of the endpoint. Default: /mcp." },
  "token-file": {
    kind: "text",
    isPath: true,
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
  "groups-claim": {
    kind: "text",
    placeholder: "NAME",
    help: "The claim of signed tokens that has the groups of a principal, for rules. Default: groups.",
  },
  "tool-scopes": {
    kind: "text",
    isTable: true,
    placeholder: "LIST",
    help: "Scopes that tools require, by name, pattern or risk: Bash=tools:exec,mcp__github__*=gh:use,read=tools:read,*=tools:use.",
  },
  commands: {
    kind: "text",
    placeholder: "HOW",
    choices: commandModes,
    help: "How commands of several people run: each person's in a sandbox of their own (the default), or trusted: all as the server's user.",
  },
  "commands-network": {
    kind: "switch",
    help: "Commands of several people have the network, and with it what listens on this machine.",
  },
  "share-cache": {
    kind: "switch",
    help: "Several people share the cache of pages that were fetched without credentials.",
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
  metrics: {
    kind: "text",
    isSwitchToo: true,
    mayBeBare: true,
    placeholder: "[ADDRESS]",
    help: "Serve metrics for Prometheus at /metrics and details at /status, at an address of their own if one is given.",
  },
  "access-log": {
    kind: "text",
    isPath: true,
    placeholder: "FILE",
    help: 'Append a JSON line for each request to this file; "-" is stdout.',
  },
  otlp: {
    kind: "text",
    placeholder: "URL",
    help: "Send traces and metrics to this OpenTelemetry collector, such as http://127.0.0.1:4318.",
  },
  "ready-strict": { kind: "switch", help: "Answer /readyz with 503 while the server is degraded." },
  drain: {
    kind: "text",
    placeholder: "TIME",
    help: "How long requests may go on after SIGTERM, such as 30s. Default: 8s.",
  },
  fleet: {
    kind: "text",
    placeholder: "NAME",
    help: "With SHARED_URL: the fleet of this replica; others with the same name are one server with it. Default: default.",
  },
  fence: {
    kind: "text",
    placeholder: "MODE",
    help: "With SHARED_URL: when its lease cannot be renewed, kill running commands, or detach them and never report them again. Default: kill.",
  },
  "tls-cert": {
    kind: "text",
    isPath: true,
    placeholder: "FILE",
    help: "Serve TLS with this certificate (PEM).",
  },
  "tls-key": {
    kind: "text",
    isPath: true,
    placeholder: "FILE",
    help: "The key of --tls-cert (PEM).",
  },
};

/** The fates of the running commands of a replica that can no longer prove that it is alive. */
export const fenceModes = ["kill", "detach"] as const;

/** The key of a flag in `http.toml`. */
export function httpKeyOf(flag: string): string {
  return httpFlags[flag]?.key ?? flag.replaceAll("-", "_");
}

/** The variable of a flag without its prefix; `SCORPIOX_` in front of it has priority. */
export function httpVariableOf(flag: string): string {
  return `HTTP_${httpKeyOf(flag).toUpperCase()}`;
}
