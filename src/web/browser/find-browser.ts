import { posix, win32 } from "node:path";

import {
  type BrowserCache,
  commandNames,
  linuxCaches,
  linuxPlaces,
  macCaches,
  macPlaces,
  windowsCaches,
  windowsCommandNames,
  windowsFolderVariables,
  windowsPlaces,
  windowsRegistryKeys,
} from "./browser-places.ts";
import type { ChosenBrowser } from "./chosen-browser.ts";
import type { SystemFacts } from "./system-facts.ts";

/** A path that was tried, and the reason to try it. */
interface TriedPlace {
  readonly path: string;
  readonly from: string;
}

export type BrowserSearch =
  | {
      readonly kind: "found";
      readonly path: string;
      readonly from: string;
      /** Snap's confinement: it can use a profile only below its own folder. */
      readonly isSnap: boolean;
      readonly tried: readonly TriedPlace[];
    }
  /** A choice that cannot be used is not passed over: another browser would be a surprise. */
  | { readonly kind: "bad-choice"; readonly chosen: ChosenBrowser; readonly problem: string }
  | { readonly kind: "missing"; readonly tried: readonly TriedPlace[] };

/** Looks for a browser in the order of docs/browser.md#which-browser: the first hit wins. */
export function findBrowser(facts: SystemFacts, chosen: ChosenBrowser | undefined): BrowserSearch {
  if (chosen !== undefined) return judgeChoice(facts, chosen);
  const tried: TriedPlace[] = [];
  for (const place of candidates(facts)) {
    if (tried.some(({ path }) => path === place.path)) continue;
    tried.push(place);
    if (isWindowsPathOfWsl(facts, place.path) || !facts.isExecutableFile(place.path)) continue;
    return { kind: "found", ...place, isSnap: isSnap(facts, place.path), tried };
  }
  return { kind: "missing", tried };
}

function judgeChoice(facts: SystemFacts, chosen: ChosenBrowser): BrowserSearch {
  const { path, setting } = chosen;
  const problem = problemOfChoice(facts, path);
  if (problem !== undefined) return { kind: "bad-choice", chosen, problem };
  const tried = [{ path, from: setting }];
  return { kind: "found", path, from: setting, isSnap: isSnap(facts, path), tried };
}

function problemOfChoice(facts: SystemFacts, path: string): string | undefined {
  if (!pathsOf(facts).isAbsolute(path)) return "is not an absolute path";
  if (isWindowsPathOfWsl(facts, path)) return "is a Windows program, which WSL cannot drive";
  return facts.isExecutableFile(path) ? undefined : "is not an executable file";
}

function* candidates(facts: SystemFacts): Generator<TriedPlace> {
  yield* inSearchPath(facts);
  yield* atFixedPlaces(facts);
  for (const cache of cachesOf(facts)) yield* inCache(facts, cache);
}

function* inSearchPath(facts: SystemFacts): Generator<TriedPlace> {
  const paths = pathsOf(facts);
  const isWindows = facts.platform === "win32";
  const value = isWindows ? (facts.env["Path"] ?? facts.env["PATH"]) : facts.env["PATH"];
  // A relative entry would let the current directory, perhaps other people's, decide what is started.
  const folders = (value ?? "").split(paths.delimiter).filter((entry) => paths.isAbsolute(entry));
  for (const name of isWindows ? windowsCommandNames : commandNames) {
    for (const folder of folders) yield { path: paths.join(folder, name), from: "PATH" };
  }
}

function* atFixedPlaces(facts: SystemFacts): Generator<TriedPlace> {
  const from = "usual place";
  if (facts.platform !== "win32") {
    const places = facts.platform === "darwin" ? macPlaces : linuxPlaces;
    for (const place of places) yield { path: expand(facts, place), from };
    return;
  }
  for (const variable of windowsFolderVariables) {
    const folder = facts.env[variable];
    if (!folder) continue;
    for (const place of windowsPlaces) yield { path: win32.join(folder, place), from };
  }
  for (const key of windowsRegistryKeys) {
    const path = facts.readRegistry(key);
    if (path !== undefined && win32.isAbsolute(path)) yield { path, from: key };
  }
}

function cachesOf({ platform }: SystemFacts): readonly BrowserCache[] {
  if (platform === "win32") return windowsCaches;
  return platform === "darwin" ? macCaches : linuxCaches;
}

function* inCache(facts: SystemFacts, cache: BrowserCache): Generator<TriedPlace> {
  const paths = pathsOf(facts);
  const folder = expand(facts, cache.folder);
  if (folder === "") return;
  const versions = facts
    .listFolder(folder)
    .flatMap((name) => {
      const version = cache.version.exec(name)?.[1];
      return version === undefined ? [] : [{ name, version }];
    })
    .sort((a, b) => compareVersions(b.version, a.version));
  for (const { name } of versions) {
    for (const executable of cache.executables) {
      yield { path: paths.join(folder, name, executable), from: "download of another program" };
    }
  }
}

/** Negative when `a` is the older one. */
function compareVersions(a: string, b: string): number {
  const left = a.split(".").map(Number);
  const right = b.split(".").map(Number);
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Empty when it needs a variable that is not set. */
function expand(facts: SystemFacts, place: string): string {
  if (place.startsWith("~")) return `${facts.homeDir}${place.slice(1)}`;
  const variable = /^%(\w+)%/.exec(place)?.[1];
  if (variable === undefined) return place;
  const value = facts.env[variable];
  return value ? `${value}${place.slice(variable.length + 2)}` : "";
}

function pathsOf({ platform }: SystemFacts): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** The pipe that a browser is driven by does not cross from WSL to Windows. */
function isWindowsPathOfWsl(facts: SystemFacts, path: string): boolean {
  const isWsl = facts.platform === "linux" && (facts.env["WSL_DISTRO_NAME"] ?? "") !== "";
  return isWsl && /^\/mnt\/[a-z]\//i.test(path);
}

/** By its place, or a script that hands over to it, as Ubuntu installs it. */
function isSnap(facts: SystemFacts, path: string): boolean {
  if (facts.platform !== "linux") return false;
  if (path.includes("/snap/bin/")) return true;
  const start = facts.readStart(path);
  return start.startsWith("#!") && start.includes("/snap/bin/");
}
