import { resultCharsMax } from "../../base/limits.ts";
import type { OauthOptions, ServerLaunch, ServerOptions } from "./server-entry.ts";
import { defaultServerOptions } from "./entry-options.ts";
import type { EntryNotes } from "./entry-fault.ts";
import { narrowRoots } from "./roots-rule.ts";

/**
 * What of a project's options counts: a project may only narrow (CF5). What would widen is left out with a warning.
 * @param entry as written, for keys that no option stands for
 */
export function narrowOptions(
  options: ServerOptions,
  entry: Readonly<Record<string, unknown>>,
  notes: EntryNotes,
): ServerOptions {
  const defaults = defaultServerOptions;
  const refuse = (key: string): void => {
    notes.warn(`${key} is ignored: a project's file may only make it stricter.`);
  };
  const { policy, maxResultChars, oauth, roots: written, ...kept } = options;
  const roots = narrowRoots(written);
  if (policy === "allow") refuse("policy");
  if (entry["approve"] !== undefined) refuse("approve");
  if (entry["sandbox"] === "off") refuse("sandbox");
  if (options.autoApprove) refuse("auto_approve");
  if (options.sampling !== "deny") refuse("sampling");
  if (options.elicitation === "allow") refuse("elicitation");
  if (JSON.stringify(roots) !== JSON.stringify(written)) refuse("roots");
  if (options.inheritEnv.length > 0) refuse("inherit_env");
  if (maxResultChars !== undefined && maxResultChars > resultCharsMax) refuse("max_result_chars");
  if (oauth?.service !== undefined) refuse("oauth.grant");
  if (oauth?.issuer !== undefined) refuse("oauth.issuer");
  const lower = (key: string, value: number, limit: number): number => {
    if (value > limit) refuse(key);
    return Math.min(value, limit);
  };
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
    timeoutMs: lower("timeout_ms", options.timeoutMs, defaults.timeoutMs),
    initTimeoutMs: lower("init_timeout_ms", options.initTimeoutMs, defaults.initTimeoutMs),
    idleMs: lower("idle_ms", options.idleMs, defaults.idleMs),
  };
}

/**
 * Who logs in is seen by the user: nothing of theirs is sent on the word of a project, and none says which addresses of
 * the local network are asked.
 */
function forPersonsAlone({
  service: _service,
  issuer: _issuer,
  ...oauth
}: OauthOptions): OauthOptions {
  return oauth;
}

/** Says of references that only a user's file may have; expansion refuses them. */
export function warnOfRights(launch: ServerLaunch, notes: EntryNotes): void {
  const texts = Object.values(launch).flatMap((value: unknown) =>
    typeof value === "object" && value !== null ? Object.values(value) : [value],
  );
  for (const form of ["cmd", "keyring"]) {
    if (!texts.some((text) => typeof text === "string" && text.includes(`\${${form}:`))) continue;
    notes.warn(`\${${form}:…} is not filled in for a project's file; the server will not start.`);
  }
}
