import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { principalName } from "../../base/digests.ts";
import type {
  ConfiguredServer,
  Isolation,
  Principals,
  ServerLaunch,
} from "../config/server-entry.ts";
import { namesPrincipal, principalMarks } from "../config/text-expander.ts";

/** The principals and isolation of a server, and the folder for data of principals. */
export interface PrincipalParts {
  readonly scorpioxDir: string;
  readonly principals: Principals;
  readonly isolation: Isolation;
}

/**
 * Programs that store their data in one file beside themselves, unless a variable names another: separate processes
 * alone would not separate the data of principals.
 */
const knownStores = [
  {
    program:
      /(?:^|[\\/])@modelcontextprotocol[\\/]server-memory(?:@[^\\/]*)?(?:[\\/]|$)|mcp-server-memory$/,
    variable: "MEMORY_FILE_PATH",
    file: "memory.jsonl",
  },
] as const;

/** Whether each connection has one principal: `shared` has one for all, `workspace` one for all its users. */
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
 * The launch for one principal. @param launch filled in except for `principalMarks` @param owner of the connection;
 * undefined when it has none yet, as for lists
 */
export function launchFor(
  server: ConfiguredServer,
  launch: ServerLaunch,
  owner: string | undefined,
  parts: PrincipalParts,
): ServerLaunch {
  const isOne = isPersonal(server, parts);
  if (!isOne && !namesPrincipal(server.entry.launch)) return launch;
  const name = isOne ? nameOf(owner) : parts.principals === undefined ? "local" : "everybody";
  const dir = join(parts.scorpioxDir, "principals", name);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const filled = filledIn(launch, name, dir);
  const store = isOne ? storeOf(server.entry.launch, server.entry.options.inheritEnv) : undefined;
  if (store === undefined || filled.transport === "http") return filled;
  return { ...filled, env: { ...filled.env, [store.variable]: join(dir, store.file) } };
}

/** A connection for lists has no owner. */
function nameOf(owner: string | undefined): string {
  return owner === undefined ? "nobody" : principalName(owner);
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

/** The store that all users of the program would share; undefined when the entry names its own file. */
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
