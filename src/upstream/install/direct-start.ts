import { open, readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";

import { isObject } from "../../base/values.ts";
import type { Fetched } from "./install-file.ts";
import type { NpxPackage } from "./runner-command.ts";

/** A program of a package, started as `npx` would start it, without `npx`. */
export interface DirectStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Folders to put first in PATH. */
  readonly path: readonly string[];
}

/** `…/_npx/<16 hexadecimal digits>/node_modules/.bin` */
const npxFolder = /[\\/]_npx[\\/][0-9a-f]{16}[\\/]node_modules[\\/]\.bin$/;

/**
 * The version of a fetched package; undefined when it is no longer on disk or outside the wanted range. Never rejects.
 */
export async function fetchedVersion(
  npx: NpxPackage,
  fetched: Fetched,
): Promise<string | undefined> {
  return (await installed(npx, fetched))?.version;
}

/**
 * The command that starts the program without the runner. Undefined when the runner might start something else: a
 * package of the project or a global one comes first, and only Node.js scripts can be started directly. Never rejects.
 */
export async function directStart(
  npx: NpxPackage,
  fetched: Fetched,
  cwd: string,
): Promise<DirectStart | undefined> {
  const manifest = await installed(npx, fetched);
  const { env = {}, path = [] } = fetched;
  const node = env["npm_node_execpath"];
  const folder = binFolder(fetched);
  if (manifest === undefined || node === undefined || folder === undefined) return undefined;
  const [name, file] = binOf(npx.name, manifest.bin) ?? [];
  if (name === undefined || file === undefined || !(await isFile(node))) return undefined;
  if (await isElsewhere(npx, name, cwd, env)) return undefined;
  const root = join(dirname(folder), ...npx.name.split("/"));
  const script = resolve(root, file);
  if (!(await isNodeScript(script, dirname(folder)))) return undefined;
  // The same path as when the system starts the script by its first line; on Windows a batch file passes the script
  // itself.
  const program = process.platform === "win32" ? script : join(folder, name);
  if (!(await isFile(program))) return undefined;
  return {
    command: node,
    args: [program, ...npx.args],
    env: { ...env, npm_config_package: "", npm_lifecycle_script: quoted(name) },
    path,
  };
}

interface Manifest {
  readonly version: string;
  readonly bin: unknown;
}

async function installed(npx: NpxPackage, fetched: Fetched): Promise<Manifest | undefined> {
  const folder = binFolder(fetched);
  if (folder === undefined) return undefined;
  const root = join(dirname(folder), ...npx.name.split("/"));
  const manifest = await readJson(join(root, "package.json"));
  if (!isObject(manifest) || typeof manifest.version !== "string") return undefined;
  const { version, bin } = manifest;
  const isWanted = npx.range === "*" || Bun.semver.satisfies(version, npx.range);
  return isWanted ? { version, bin } : undefined;
}

function binFolder({ path = [] }: Fetched): string | undefined {
  const [first] = path;
  return first !== undefined && npxFolder.test(first) ? first : undefined;
}

/** The program that `npx` picks: the only one, or the one with the package's name. */
function binOf(packageName: string, bin: unknown): readonly [string, string] | undefined {
  const plain = packageName.replace(/^@[^/]+\//, "");
  if (typeof bin === "string") return [plain, bin];
  if (!isObject(bin)) return undefined;
  const entries = Object.entries(bin).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const isOne = new Set(entries.map(([, file]) => file)).size === 1;
  return isOne ? entries[0] : entries.find(([name]) => name === plain);
}

/** Whether `npx` would find the program before its own folder: in the project, above it, or among global packages. */
async function isElsewhere(
  { name, spec }: NpxPackage,
  bin: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<boolean> {
  const places: string[] = [];
  for (let dir = resolve(cwd); ; dir = dirname(dir)) {
    const modules = join(dir, "node_modules");
    places.push(join(modules, name), ...[spec, bin].map((each) => join(modules, ".bin", each)));
    if (dirname(dir) === dir) break;
  }
  const prefix = env["npm_config_global_prefix"] ?? env["npm_config_prefix"];
  if (prefix !== undefined) {
    places.push(join(prefix, "lib", "node_modules", name), join(prefix, "node_modules", name));
    places.push(join(prefix, "bin", spec), join(prefix, `${spec}.cmd`));
  }
  const own = await readJson(join(cwd, "package.json"));
  if (isObject(own) && (own.name === name || (isObject(own.bin) && spec in own.bin))) return true;
  const found = await Promise.all(places.map((place) => exists(place)));
  return found.includes(true);
}

const nodeLine = /^#!\s*(?:\S*\/)?(?:env\s+)?node\s*$/;

/** Whether it is a script in that folder whose first line names Node.js without options. */
async function isNodeScript(script: string, modules: string): Promise<boolean> {
  try {
    const real = await realpath(script);
    if (!real.startsWith((await realpath(modules)) + sep)) return false;
    await using file = await open(real);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    const [line = ""] = buffer.toString("utf8", 0, bytesRead).split("\n");
    return nodeLine.test(line.trimEnd());
  } catch {
    return false;
  }
}

/** Quotes a program's name as npm does for the shell. */
function quoted(name: string): string {
  return process.platform === "win32" ? name : `'${name.replaceAll("'", `'\\''`)}'`;
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as unknown;
  } catch {
    return undefined;
  }
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
