import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { namesPrincipal, principalMarks } from "../config/principal-marks.ts";
import type {
  ConfiguredServer,
  Isolation,
  Principals,
  ServerLaunch,
} from "../config/server-entry.ts";

/** Whose connections differ, and where what belongs to one principal is kept. */
export interface PrincipalParts {
  readonly scorpioxDir: string;
  readonly principals: Principals;
  readonly isolation: Isolation;
}

/**
 * Programs that keep all they are told in one file beside themselves, unless a variable names another: processes of
 * their own alone would keep no principal from what another has stored.
 */
const knownStores = [
  {
    program:
      /(?:^|[\\/])@modelcontextprotocol[\\/]server-memory(?:@[^\\/]*)?(?:[\\/]|$)|mcp-server-memory$/,
    variable: "MEMORY_FILE_PATH",
    file: "memory.jsonl",
  },
] as const;

/** Connections of one principal each: `shared` is one for all, `workspace` one for whoever works there. */
function isApart(isolation: Isolation): boolean {
  return isolation !== "shared" && isolation !== "workspace";
}

/** Whether processes of different principals are started differently. */
export function isPersonal(
  { entry }: ConfiguredServer,
  { principals, isolation }: PrincipalParts,
): boolean {
  if (principals === undefined || !isApart(isolation)) return false;
  return (
    namesPrincipal(entry.launch) || storeOf(entry.launch, entry.options.inheritEnv) !== undefined
  );
}

/**
 * The launch as it is for one principal.
 * @param launch filled in but for `principalMarks`
 * @param owner of the connection; undefined: nobody yet, as for lists
 */
export function launchFor(
  server: ConfiguredServer,
  launch: ServerLaunch,
  owner: string | undefined,
  parts: PrincipalParts,
): ServerLaunch {
  const isOne = isPersonal(server, parts);
  if (!isOne && !namesPrincipal(server.entry.launch)) return launch;
  const name = isOne ? folderName(owner) : parts.principals === undefined ? "local" : "everybody";
  const dir = join(parts.scorpioxDir, "principals", name);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const filled = filledIn(launch, name, dir);
  const store = isOne ? storeOf(server.entry.launch, server.entry.options.inheritEnv) : undefined;
  if (store === undefined || filled.transport === "http") return filled;
  return { ...filled, env: { ...filled.env, [store.variable]: join(dir, store.file) } };
}

/** Fit for a file name on each system, and another one for each principal. */
function folderName(owner: string | undefined): string {
  if (owner === undefined) return "nobody";
  const digest = createHash("sha256").update(owner).digest("hex").slice(0, 10);
  const shown = owner.replaceAll(/[^A-Za-z0-9_-]+/g, "-").slice(0, 40);
  return `${shown}-${digest}`;
}

function filledIn(launch: ServerLaunch, name: string, dir: string): ServerLaunch {
  const fill = (text: string): string =>
    text.replaceAll(principalMarks.principal, name).replaceAll(principalMarks.principalDir, dir);
  const fillAll = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fill(text)]));
  if (launch.transport === "http") {
    const { url, headers } = launch;
    return { transport: "http", url: fill(url), headers: fillAll(headers) };
  }
  const { command, args, env, cwd } = launch;
  return {
    transport: "stdio",
    command: fill(command),
    args: args.map(fill),
    env: fillAll(env),
    ...(cwd === undefined ? {} : { cwd: fill(cwd) }),
  };
}

/** Where that program would keep what everybody tells it; undefined where the entry names a place of its own. */
function storeOf(
  launch: ServerLaunch,
  inherited: readonly string[],
): (typeof knownStores)[number] | undefined {
  if (launch.transport === "http") return undefined;
  const words = [launch.command, ...launch.args];
  return knownStores.find(
    ({ program, variable }) =>
      words.some((word) => program.test(word)) &&
      launch.env[variable] === undefined &&
      !inherited.includes(variable),
  );
}
