import { isAbsolute, normalize, sep } from "node:path";

import { resultCharsMax } from "../../base/limits.ts";
import { defaultServerOptions, isolations } from "./entry-options.ts";
import type { Table } from "./parse-server-file.ts";
import type {
  EntryNotes,
  OauthOptions,
  ServerLaunch,
  ServerOptions,
  ServerEntry,
  RootsRule,
} from "./server-entry.ts";

const defaults = defaultServerOptions;

/** Each key by which a project could widen something, and whether it does, in the order of the warnings. */
const wideningKeys: readonly (readonly [
  key: string,
  widens: (options: ServerOptions, entry: Table) => boolean,
])[] = [
  ["policy", ({ policy }) => policy === "allow"],
  ["risk", ({ risk }) => risk !== undefined && risk.read.length + risk.write.length > 0],
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
  ["oauth.per_user", ({ oauth }) => oauth?.perUser !== undefined],
  ["timeout_ms", ({ timeoutMs }) => timeoutMs > defaults.timeoutMs],
  ["init_timeout_ms", ({ initTimeoutMs }) => initTimeoutMs > defaults.initTimeoutMs],
  ["idle_ms", ({ idleMs }) => idleMs > defaults.idleMs],
];

/**
 * The options of a project that take effect: a project may only narrow (CF5). Options that would widen are dropped with
 * a warning.
 * @param entry as written, for keys that have no option
 */
export function narrowOptions(
  options: ServerOptions,
  entry: Table,
  notes: EntryNotes,
): ServerOptions {
  for (const [key, widens] of wideningKeys) {
    if (!widens(options, entry)) continue;
    notes.warn(`${key} is ignored: a project's file may only make it stricter.`);
  }
  const { policy, risk, maxResultChars, oauth, roots: written, ...kept } = options;
  const roots = narrowRoots(written);
  return {
    ...kept,
    ...(oauth !== undefined && { oauth: forPersonsAlone(oauth) }),
    ...(roots !== undefined && { roots }),
    ...(policy !== undefined && policy !== "allow" && { policy }),
    ...(risk !== undefined && { risk: { ...risk, read: [], write: [] } }),
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
 * Removes logins without a person, those of each principal, and the choice of the authorization server: a project can neither have the user's
 * credentials sent, nor decide which addresses of the local network are asked.
 */
function forPersonsAlone({
  service: _service,
  issuer: _issuer,
  perUser: _perUser,
  ...oauth
}: OauthOptions): OauthOptions {
  return oauth;
}

/** Warns of references that only a user's file may have; expansion refuses them. */
export function warnOfRights(launch: ServerLaunch, notes: EntryNotes): void {
  const texts = Object.values(launch).flatMap((value: unknown) =>
    typeof value === "object" && value !== null ? Object.values(value) : [value],
  );
  for (const form of ["cmd", "keyring"]) {
    if (!texts.some((text) => typeof text === "string" && text.includes(`\${${form}:`))) continue;
    notes.warn(`\${${form}:…} is not filled in for a project's file; the server will not start.`);
  }
}

/** From the loosest to the strictest policy; undefined: the default of the rules applies. */
const policies = ["allow", undefined, "ask", "deny"] as const;

/**
 * A project's entry neither shares a connection or a login that the user wanted isolated, nor allows a call for which the
 * user wanted a question.
 */
export function keepStrictness(
  entry: ServerEntry,
  users: ServerOptions,
  warn: (entry: ServerEntry, text: string) => void,
): ServerEntry {
  const { options } = entry;
  const { isolation: _isolation, policy: _policy, roots: _roots, ...others } = options;
  const keep = <Value extends string | undefined>(
    key: string,
    wanted: Value,
    own: Value,
    order: readonly Value[],
  ): Value => {
    if (order.indexOf(own) >= order.indexOf(wanted)) return own;
    if (own !== undefined)
      warn(entry, `${key} "${own}" is ignored: your own entry of this name says "${wanted}".`);
    return wanted;
  };
  const isolation = keep("isolation", users.isolation, options.isolation, [
    undefined,
    ...isolations,
  ]);
  const policy = keep("policy", users.policy, options.policy, policies);
  const roots = keepRoots(entry, users, warn);
  const perUser = users.oauth?.perUser;
  const kept = {
    ...(perUser !== undefined && { oauth: { ...options.oauth, ...tradeOf(users), perUser } }),
    ...(isolation !== undefined && { isolation }),
    ...(policy !== undefined && { policy }),
    ...(roots !== undefined && { roots }),
  };
  return { ...entry, options: { ...others, ...kept } };
}

/** The user's client, where it trades the tokens of principals: a project cannot choose who gets them. */
function tradeOf({ oauth }: ServerOptions): OauthOptions {
  if (oauth?.perUser?.trade === undefined) return {};
  const { perUser: _perUser, scopes: _scopes, ...client } = oauth;
  return client;
}

/** The project's rule if it shows less than the user's; if both name folders, the user's. */
function keepRoots(
  entry: ServerEntry,
  { roots: users }: ServerOptions,
  warn: (entry: ServerEntry, text: string) => void,
): ServerOptions["roots"] {
  const { roots: own } = entry.options;
  if (users === undefined || own === undefined) return users ?? own;
  const kept = narrowerRoots(users, own);
  if (kept !== own)
    warn(entry, "roots is ignored: your own entry of this name shows fewer folders.");
  return kept;
}

/** The part of a project's rule that narrows: folders inside the project, fewer than the client's. */
function narrowRoots(rule: RootsRule | undefined): RootsRule | undefined {
  if (rule === undefined || rule === "client") return undefined;
  if (typeof rule === "string") return rule;
  const inside = rule.filter(isBelowHere);
  return inside.length === 0 ? "none" : inside;
}

/** From the rule that shows a server the least to the one that shows the most. */
function widthOf(rule: RootsRule): number {
  if (typeof rule !== "string") return 1;
  return { none: 0, workspace: 2, client: 3 }[rule];
}

/** The rule that shows less; if both name folders, the first. */
export function narrowerRoots(first: RootsRule, second: RootsRule): RootsRule {
  return widthOf(second) < widthOf(first) ? second : first;
}

function isBelowHere(folder: string): boolean {
  const way = normalize(folder);
  return !isAbsolute(way) && !/^[~$]/.test(folder) && way !== ".." && !way.startsWith(`..${sep}`);
}
