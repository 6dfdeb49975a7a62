import { isAbsolute } from "node:path";
import { canonicalJson } from "../../base/values.ts";
import { redactSecrets } from "../adapters/text-of.ts";
import { knownServerOf } from "../config/known-servers.ts";
import type { StdioLaunch } from "../config/server-entry.ts";
import type { TargetFacts } from "./target-facts.ts";

/** A server that one hub of a user runs at a time (HB8). */
interface ExclusiveUse {
  /** Equal for launches that may use the same profile, port or database. Does not contain secrets. */
  readonly identity: string;
  /** The end of a sentence about it. */
  readonly reason: string;
}

/** The exclusive use that a server makes of something on this machine; undefined for most servers. */
export function exclusiveUseOf({
  launch,
  secrets,
  configured,
  client,
}: Pick<TargetFacts, "launch" | "secrets" | "configured" | "client">): ExclusiveUse | undefined {
  if (launch.transport === "http") return undefined;
  const known = knownServerOf(launch);
  // Its profile is in memory.
  if (known?.exclusive === undefined || launch.args.includes("--isolated")) return undefined;
  const args = plainArguments(launch, known.name);
  const env = namedPlaces(launch, configured.entry.options.inheritEnv, client?.base ?? {});
  const isRelative = [...args, ...Object.values(env)].some(leadsFromFolder);
  const cwd = isRelative ? (launch.cwd ?? "") : "";
  const text = canonicalJson({ name: known.name, args, env, cwd });
  return { identity: redactSecrets(text, secrets), reason: known.exclusive };
}

/** The arguments without the package and its version, which do not say what it works on. */
function plainArguments({ args }: StdioLaunch, name: string): readonly string[] {
  const isProgram = (word: string): boolean =>
    knownServerOf({ transport: "stdio", command: "", args: [word], env: {} })?.name === name;
  return args.filter((word) => word !== "-y" && word !== "--yes" && !isProgram(word));
}

/** Names of variables whose values name a profile, a port or a database. */
const place =
  /(?:^|_)(?:PATH|FILE|DIR|FOLDER|HOME|PROFILE|PORT|HOST|URL|URI|ADDRESS|ENDPOINT|DATABASE|DB|DATA|STORAGE|STORE|COLLECTION|DEVICE|UDID|SERIAL)S?(?:_|$)/i;

function namedPlaces(
  { env }: StdioLaunch,
  inherited: readonly string[],
  base: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const pairs = [...inherited.map((name) => [name, base[name]] as const), ...Object.entries(env)];
  // PATH leads to programs, not to data.
  const isPlace = (name: string): boolean => name !== "PATH" && place.test(name);
  return Object.fromEntries(
    pairs.flatMap(([name, value]) =>
      value !== undefined && isPlace(name) ? [[name, value] as const] : [],
    ),
  );
}

/** Whether a word is clearly a path from the server's folder. In doubt, the same word names the same thing everywhere. */
function leadsFromFolder(word: string): boolean {
  const path = word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word;
  if (isAbsolute(path) || path.startsWith("-") || /^(?:@|[A-Za-z][\w+.-]*:)/.test(path)) {
    return false;
  }
  return /^\.{1,2}$|[/\\]|\.(?:db|sqlite3?|duckdb|jsonl?)$/i.test(path);
}
