import { delimiter } from "node:path";

import { isObject } from "../../protocol/json-rpc.ts";
import type { Fetched } from "./install-file.ts";

/** What npm tells programs that it runs, and what they find of it in the variables of others. */
const kept = /^(?:npm_\w+|INIT_CWD|NODE|COLOR|EDITOR)$/;
/** Of the run that only fetched. */
const fetchOnly = new Set(["npm_config_call", "npm_config_loglevel", "npm_lifecycle_script"]);
/** npm's own settings are no secrets; tokens of registries it does not pass on, and nobody else shall by its name. */
const secret = /_auth|token|password|secret/i;

/** What a runner's environment, as it printed it, adds to that of programs; nothing when it printed none. */
export function readRunnerEnvironment(output: string): Pick<Fetched, "env" | "path"> {
  const variables = readVariables(output);
  if (variables.length === 0) return {};
  const env = variables.filter(
    ([name]) => kept.test(name) && !fetchOnly.has(name) && !secret.test(name),
  );
  const folders = variables.find(([name]) => name.toUpperCase() === "PATH")?.[1].split(delimiter);
  // npm puts its own folders first; that with node-gyp is the last of them.
  const last = folders?.findIndex((folder) => /[\\/]node-gyp-bin[\\/]?$/.test(folder)) ?? -1;
  return {
    env: Object.fromEntries(env),
    ...(last >= 0 && folders !== undefined ? { path: folders.slice(0, last + 1) } : {}),
  };
}

/** JSON, or lines of `NAME=value` as a Windows shell prints them. */
function readVariables(output: string): readonly (readonly [string, string])[] {
  const json = output.slice(output.indexOf("{")).trim();
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) {
      return Object.entries(value).flatMap(([name, text]) =>
        typeof text === "string" ? [[name, text] as const] : [],
      );
    }
  } catch {
    // Lines, then.
  }
  return output.split(/\r?\n/).flatMap((line) => {
    const at = line.indexOf("=");
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
  });
}
