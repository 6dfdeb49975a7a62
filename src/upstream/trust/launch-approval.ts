import { sha256Hex } from "../../base/digests.ts";
import { formatAmount } from "../../base/cut-text.ts";
import { hideInArguments, hideInTemplate, isPlaceName, isSecretName } from "../../base/secrets.ts";
import { expansionDepthMax } from "../../base/upstream-limits.ts";
import { canonicalJson } from "../../base/values.ts";
import type { ConfiguredServer, StringMap } from "../config/server-entry.ts";
import { parseReferences } from "../config/text-expander.ts";
import { escapeHidden } from "./hidden-characters.ts";
import type { LaunchVerdict } from "./trust-file.ts";
import type { TrustStore } from "./trust-store.ts";

/** The parts of a project's entry that the user approves. */
export type ApprovedEntry = Pick<ConfiguredServer, "entry" | "identity" | "standIn">;

/** The user's decision about this entry of the project (CN7); undefined before it. */
export async function launchVerdictOf(
  server: ApprovedEntry,
  projectDir: string,
  store: TrustStore,
): Promise<LaunchVerdict | undefined> {
  const { identity } = server;
  const ofLaunch = await store.launchVerdict(identity, projectDir);
  const key = approvalKeyOf(server);
  if (key === identity || ofLaunch === "denied") return ofLaunch;
  return store.launchVerdict(key, projectDir);
}

/** @throws AppError `system` */
export async function approveLaunchOf(
  server: ApprovedEntry,
  projectDir: string,
  store: TrustStore,
): Promise<void> {
  // An approval with more rights includes the launch alone.
  for (const key of keysOf(server)) await store.approveLaunch(key, projectDir);
}

/** Forgets the user's decision. False when there was none. @throws AppError `system` */
export async function revokeLaunchOf(
  server: ApprovedEntry,
  projectDir: string,
  store: TrustStore,
): Promise<boolean> {
  let isChanged = false;
  for (const key of keysOf(server)) {
    if (await store.revokeLaunch(key, projectDir)) isChanged = true;
  }
  return isChanged;
}

function keysOf(server: ApprovedEntry): ReadonlySet<string> {
  return new Set([server.identity, approvalKeyOf(server)]);
}

/**
 * The key of an approval: the launch and any rights beyond it. An approved launch must not be renamed to one of the
 * user's servers, which would give it all rules for that name, and a later edit must not give it a secret for its
 * login.
 */
function approvalKeyOf({ entry, identity, standIn }: ApprovedEntry): string {
  const secret = entry.options.oauth?.clientSecret;
  const more = {
    ...(standIn === undefined ? {} : { replaces: entry.name }),
    ...(secret === undefined ? {} : { clientSecret: secret }),
  };
  if (Object.keys(more).length === 0) return identity;
  return sha256Hex(canonicalJson({ identity, ...more }));
}

type Row = readonly [name: string, value: string];

/**
 * Everything that is approved with a server, uncut, since the user would approve omitted parts unseen. Of secrets only
 * the length, and the variables that they come from.
 */
export function launchLines({ entry, identity, standIn }: ConfiguredServer): readonly string[] {
  const { launch, origin, options } = entry;
  const rows: Row[] = [["from", placeText(origin.file)]];
  if (launch.transport === "stdio") {
    rows.push(["command", quoted(launch.command)]);
    for (const argument of shownArguments(launch.args)) rows.push(["argument", quoted(argument)]);
    rows.push(...sortedEntries(launch.env).map(variableRow));
    rows.push(["cwd", quoted(launch.cwd ?? ".")]);
  } else {
    rows.push(["url", quoted(launch.url)]);
    for (const [name, value] of sortedEntries(launch.headers)) {
      rows.push(["header", quoted(name) + valueText(name, value)]);
    }
  }
  const secret = options.oauth?.clientSecret;
  if (secret !== undefined) rows.push(["secret", `for its login${secretText(secret)}`]);
  rows.push(["sha256", identity]);
  if (standIn !== undefined) {
    const own = placeText(standIn.entry.origin.file);
    rows.push(["note", `replaces your own server of this name (${own})`]);
  }
  return rows.map(([name, value]) => `  ${name.padEnd(8)}  ${value}`);
}

/** The launch in `mcp approve --json`, with the same content. */
export function launchRow({
  entry,
  identity,
}: ConfiguredServer): Readonly<Record<string, unknown>> {
  const { launch } = entry;
  if (launch.transport === "http") {
    const { transport, url, headers } = launch;
    const names = Object.keys(headers).sort();
    const values = shownValues(headers);
    return { transport, url, headers: names, values, sources: sourcesByName(headers), identity };
  }
  const { transport, command, args, env, cwd } = launch;
  return {
    transport,
    command,
    args: shownArguments(args),
    env: Object.keys(env).sort(),
    values: shownValues(env),
    sources: sourcesByName(env),
    cwd: cwd ?? ".",
    identity,
  };
}

/** A path for a part of a line, with line breaks escaped. */
export function placeText(file: string | null | undefined): string {
  if (file === undefined || file === null) return "the environment";
  return escapeHidden(file).replaceAll(/[\n\r\t]/g, (blank) => JSON.stringify(blank).slice(1, -1));
}

/** Quotes the text, since a line end in a value would look like another row. */
function quoted(text: string): string {
  return escapeHidden(JSON.stringify(text));
}

function variableRow([name, value]: readonly [string, string]): Row {
  return ["env", quoted(name) + valueText(name, value)];
}

/** The value as written; of a secret, its length and sources. */
function valueText(name: string, value: string): string {
  const shown = shownValue(name, value);
  return shown === undefined ? secretText(value) : ` = ${quoted(shown)}`;
}

/**
 * Undefined when the whole value is a secret; secrets within it, known by their shape, are replaced by their length.
 */
function shownValue(name: string, value: string): string | undefined {
  const isSecret = isSecretName(name) && !isPlaceName(name) && !changesProgram(name);
  if (isSecret || !hasLiteral(value)) return undefined;
  return hideInTemplate(value, lengthOf);
}

function shownValues(map: StringMap): Readonly<Record<string, string>> {
  const rows = sortedEntries(map).flatMap(([name, value]) => {
    const shown = shownValue(name, value);
    return shown === undefined ? [] : [[name, shown] as const];
  });
  return Object.fromEntries(rows);
}

/**
 * Hides secrets in arguments, except texts that may name a file or a script: a program may read an unknown option as
 * one.
 */
function shownArguments(args: readonly string[]): readonly string[] {
  const hide = (secret: string): string =>
    /^[\w+=~-]{8,}$/.test(secret) ? lengthOf(secret) : secret;
  return hideInArguments(args, hide);
}

function lengthOf(secret: string): string {
  return `(${formatAmount(secret.length, "character")} not shown)`;
}

function secretText(value: string): string {
  const literal = literalLength(value);
  const length = literal === 0 ? "" : ` (${formatAmount(literal, "character")} not shown)`;
  return sourcesText(value) + length;
}

/** True when part of the value is written in the entry, such as a default. */
function hasLiteral(value: string): boolean {
  return value === "" || literalLength(value) > 0;
}

function literalLength(value: string, depth = 0): number {
  return parseReferences(value).reduce((sum, part) => {
    if (part.kind === "literal") return sum + part.text.length;
    if (part.kind === "fault") return sum + part.written.length;
    if (part.kind !== "variable" || depth >= expansionDepthMax) return sum;
    return sum + literalLength(part.whenUnset ?? "", depth + 1);
  }, 0);
}

/** ` from ${A}, ${B}`: the user's variables in a value. */
function sourcesText(value: string): string {
  const sources = sourcesOf(value);
  return sources.length === 0 ? "" : ` from ${sources.map((name) => `\${${name}}`).join(", ")}`;
}

function sourcesByName(map: StringMap): Readonly<Record<string, readonly string[]>> {
  const rows = sortedEntries(map).map(([name, value]) => [name, sourcesOf(value)] as const);
  return Object.fromEntries(rows.filter(([, sources]) => sources.length > 0));
}

/** Names of variables, also in defaults, down to the depth of expansion. */
function sourcesOf(value: string, depth = 0): readonly string[] {
  const names = parseReferences(value).flatMap((part) => {
    if (part.kind === "literal" || part.kind === "fault") return [];
    if (part.kind !== "variable") return [escapeHidden(`${part.kind}:${part.name}`)];
    const inner = depth < expansionDepthMax ? sourcesOf(part.whenUnset ?? "", depth + 1) : [];
    return [part.name, ...inner];
  });
  return [...new Set(names)];
}

function sortedEntries(map: StringMap): readonly (readonly [string, string])[] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Variables that decide which program runs, which code it loads, or which proxy it uses: their values are part of the
 * command and are shown, although their names may look like secrets (`GIT_ASKPASS`).
 */
function changesProgram(name: string): boolean {
  return programNames.test(name) || (programFamilies.test(name) && !secretNames.test(name));
}

const programNames =
  /^(?:PATH|PATHEXT|COMSPEC|SYSTEMROOT|SHELL|HOME|ENV|IFS|PS4|TMPDIR|TEMP|TMP|BASH_ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|ZDOTDIR|EDITOR|VISUAL|PAGER|CLASSPATH|(?:GIT|SSH)_ASKPASS|(?:HTTPS?|ALL|NO)_PROXY|SSL_CERT_(?:FILE|DIR)|\w+_CA_BUNDLE|CONTAINER_HOST)$/i;

const programFamilies =
  /^(?:LD_|DYLD_|XDG_|NODE_|TSX_|TS_NODE_|BUN_|DENO_|ELECTRON_|PYTHON|PERL|RUBY|GEM_|BUNDLE_|_?JAVA_|JDK_|MAVEN_|GRADLE_|DOTNET_|CORECLR_|COR_|LUA_|PHP|GO[A-Z]+$|CARGO_|RUST|R_|JULIA_|GIT_|SSH_|NPM_CONFIG_|YARN_|PNPM_|COREPACK_|UV_|PIP_|PIPX_|DOCKER_|PODMAN_)/i;

const secretNames = /TOKEN|SECRET|PASS|AUTH/i;
