import { resultCharsMax } from "../../base/limits.ts";
import { type ProblemList, quoteValue } from "../../config/problems.ts";
import { readLaunch } from "./entry-launch.ts";
import { defaultServerOptions, readOptions } from "./entry-options.ts";
import { isTable, type RawEntry } from "./json-shapes.ts";
import { OptionReader } from "./option-reader.ts";
import { isOwnEntry } from "./own-entry.ts";
import type { RawServerFile } from "./read-server-file.ts";
import { narrowRoots } from "./roots-rule.ts";
import {
  EntryFault,
  type EntryNotes,
  type EntryOrigin,
  type OauthOptions,
  type ServerEntry,
  type ServerLaunch,
  type ServerOptions,
} from "./server-entry.ts";
import type { UpstreamConfigParts } from "./upstream-start.ts";

/** Names that every JavaScript object has. */
const reservedNames = ["__proto__", "constructor", "prototype"];

/** True for a valid server name (CF12). */
function isServerName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name) &&
    !reservedNames.includes(name)
  );
}

/**
 * Reads one entry, checks it and fills in the defaults; a project's entry loses the settings that would widen rights.
 * @throws EntryFault when it cannot be used
 */
export function readEntry(raw: RawEntry, origin: EntryOrigin, notes: EntryNotes): ServerEntry {
  const { name, value } = raw;
  if (reservedNames.some((reserved) => reserved === name))
    throw new EntryFault("has a reserved name");
  if (!isServerName(name)) {
    throw new EntryFault(
      "needs a name of 1 to 64 letters, digits, _ . -, beginning with a letter or digit",
    );
  }
  if (!isTable(value)) throw new EntryFault("must be a table of settings");
  const reader = new OptionReader(value, notes);
  const isEnabled = readSwitch(reader);
  const launch = readLaunch(value, notes, !isEnabled);
  const options = readOptions(reader);
  if (origin.trust === "user") return { name, isEnabled, launch, options, origin };
  warnOfRights(launch, notes);
  return { name, isEnabled, launch, options: narrowOptions(options, value, notes), origin };
}

/** Other clients write `disabled: true` for `enabled: false`. */
function readSwitch(reader: OptionReader): boolean {
  return (
    reader.right("enabled", [true, false], true) && !reader.right("disabled", [true, false], false)
  );
}

const defaults = defaultServerOptions;

type WrittenEntry = Readonly<Record<string, unknown>>;

/** Each key by which a project could widen something, and whether it does, in the order of the warnings. */
const wideningKeys: readonly (readonly [
  key: string,
  widens: (options: ServerOptions, entry: WrittenEntry) => boolean,
])[] = [
  ["policy", ({ policy }) => policy === "allow"],
  ["approve", (_options, entry) => entry["approve"] !== undefined],
  ["sandbox", (_options, entry) => entry["sandbox"] === "off"],
  ["auto_approve", ({ autoApprove }) => autoApprove],
  ["sampling", ({ sampling }) => sampling !== "deny"],
  ["elicitation", ({ elicitation }) => elicitation === "allow"],
  ["roots", ({ roots }) => JSON.stringify(narrowRoots(roots)) !== JSON.stringify(roots)],
  ["inherit_env", ({ inheritEnv }) => inheritEnv.length > 0],
  ["max_result_chars", ({ maxResultChars = 0 }) => maxResultChars > resultCharsMax],
  ["oauth.grant", ({ oauth }) => oauth?.service !== undefined],
  ["oauth.issuer", ({ oauth }) => oauth?.issuer !== undefined],
  ["timeout_ms", ({ timeoutMs }) => timeoutMs > defaults.timeoutMs],
  ["init_timeout_ms", ({ initTimeoutMs }) => initTimeoutMs > defaults.initTimeoutMs],
  ["idle_ms", ({ idleMs }) => idleMs > defaults.idleMs],
];

/**
 * The options of a project that take effect: a project may only narrow (CF5). Options that would widen are dropped with
 * a warning.
 * @param entry as written, for keys that have no option
 */
function narrowOptions(
  options: ServerOptions,
  entry: WrittenEntry,
  notes: EntryNotes,
): ServerOptions {
  for (const [key, widens] of wideningKeys) {
    if (!widens(options, entry)) continue;
    notes.warn(`${key} is ignored: a project's file may only make it stricter.`);
  }
  const { policy, maxResultChars, oauth, roots: written, ...kept } = options;
  const roots = narrowRoots(written);
  return {
    ...kept,
    ...(oauth !== undefined && { oauth: forPersonsAlone(oauth) }),
    ...(roots !== undefined && { roots }),
    ...(policy !== undefined && policy !== "allow" && { policy }),
    ...(maxResultChars !== undefined && maxResultChars <= resultCharsMax && { maxResultChars }),
    autoApprove: false,
    sampling: "deny",
    elicitation: options.elicitation === "allow" ? defaults.elicitation : options.elicitation,
    inheritEnv: [],
    timeoutMs: Math.min(options.timeoutMs, defaults.timeoutMs),
    initTimeoutMs: Math.min(options.initTimeoutMs, defaults.initTimeoutMs),
    idleMs: Math.min(options.idleMs, defaults.idleMs),
  };
}

/**
 * Removes logins without a person and the choice of the authorization server: a project can neither have the user's
 * credentials sent, nor decide which addresses of the local network are asked.
 */
function forPersonsAlone({
  service: _service,
  issuer: _issuer,
  ...oauth
}: OauthOptions): OauthOptions {
  return oauth;
}

/** Warns of references that only a user's file may have; expansion refuses them. */
function warnOfRights(launch: ServerLaunch, notes: EntryNotes): void {
  const texts = Object.values(launch).flatMap((value: unknown) =>
    typeof value === "object" && value !== null ? Object.values(value) : [value],
  );
  for (const form of ["cmd", "keyring"]) {
    if (!texts.some((text) => typeof text === "string" && text.includes(`\${${form}:`))) continue;
    notes.warn(`\${${form}:…} is not filled in for a project's file; the server will not start.`);
  }
}

/** Collects the problems, and the notices that are not problems. */
export interface SourceNotes {
  readonly problems: ProblemList;
  readonly notices: string[];
}

/**
 * Reads the servers of one source, in its order; of two with the same name the last is used. Each unusable entry is one
 * problem and does not affect the others (CF12).
 * @param place an environment variable, where there is no file
 */
export function readSource(
  content: RawServerFile,
  origin: EntryOrigin,
  parts: UpstreamConfigParts,
  { problems, notices }: SourceNotes,
  place?: { readonly line?: number | undefined; readonly name?: string },
): readonly ServerEntry[] {
  const entries = new Map<string, ServerEntry>();
  for (const raw of content.entries) {
    const at = { file: origin.file, line: raw.line ?? place?.line, name: place?.name };
    const label = `server ${typeof raw.name === "string" ? quoteValue(raw.name) : "without a name"}`;
    const warn = (text: string): void => problems.warn(at, `${label}: ${text}`);
    const warnings: string[] = [];
    try {
      const entry = readEntry(raw, origin, { warn: (text) => warnings.push(text) });
      if (isOwnEntry(entry.launch, parts)) {
        notices.push(
          `${origin.file ?? at.name ?? "command line"}: ${label} is this program itself; it is skipped.`,
        );
        continue;
      }
      if (entries.has(entry.name)) warnings.push("it is defined twice; using the last.");
      for (const text of warnings) warn(text);
      entries.set(entry.name, entry);
    } catch (error) {
      if (!(error instanceof EntryFault)) throw error;
      problems.warn(at, `${label} ${error.message}; it is ignored.`);
    }
  }
  return [...entries.values()];
}
