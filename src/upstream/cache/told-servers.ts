import { statSync } from "node:fs";
import { join } from "node:path";

import { isObject, jsonOrNothing } from "../../base/values.ts";
import { readTextFile } from "../../config/read-text-file.ts";
import { fixedSources, type ServersStart } from "../config/upstream-start.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";

/** Facts about upstream servers that the handshake mentions before anything about them is loaded. */
export type ToldServers = Pick<UpstreamSnapshot, "introductions" | "indexFile"> & {
  /** Servers of the project that are not started until the user approves them. */
  readonly waiting: readonly string[];
};

/**
 * The file in which the facts are kept, and the files that they depend on. Plain data: the Worker writes it, the main
 * thread reads it.
 */
export interface ToldPlace {
  readonly file: string;
  /** Files whose servers the facts describe: when one of them has changed, the facts are not used. */
  readonly sources: readonly string[];
}

/** Version of the format; a file of another version is not read. */
const toldVersion = 1;

/** One file for each project and set of start options. */
export function toldPlaceOf(start: ServersStart): ToldPlace {
  const { dirs, workspaceName: workspace, upstream, config } = start;
  const way = [dirs.projectDir, workspace, upstream.configFiles, config.settings.mcp];
  const key = Bun.hash(JSON.stringify(way)).toString(36);
  return {
    file: join(dirs.scorpioxDir, "cache", "mcp", "told", `${key}.json`),
    sources: [
      ...fixedSources({ dirs, workspace }, false).map(({ file }) => file),
      ...upstream.configFiles,
    ],
  };
}

export function toldOf({
  servers,
  introductions,
  indexFile,
}: Omit<UpstreamSnapshot, "revision">): ToldServers {
  const waiting = servers.filter(({ state }) => state === "untrusted").map(({ name }) => name);
  return { waiting, introductions, ...(indexFile === undefined ? {} : { indexFile }) };
}

export function printTold(told: ToldServers, { sources }: ToldPlace): string {
  return JSON.stringify({ version: toldVersion, state: stateOf(sources), told });
}

/**
 * The facts that an earlier run here saved; undefined when there was none, or its sources have changed since. Reads one
 * file and the status of its sources.
 */
export function readTold({ file, sources }: ToldPlace): ToldServers | undefined {
  const content = readTextFile(file);
  if (content.kind !== "text") return undefined;
  const value = jsonOrNothing(content.text);
  if (!isObject(value) || value.version !== toldVersion) return undefined;
  return value.state === stateOf(sources) && isTold(value.told) ? value.told : undefined;
}

function isTold(value: unknown): value is ToldServers {
  if (!isObject(value)) return false;
  const { waiting, introductions, indexFile } = value;
  return (
    Array.isArray(waiting) &&
    waiting.every(isText) &&
    Array.isArray(introductions) &&
    introductions.every((one) => isObject(one) && isText(one.server) && isText(one.line)) &&
    (indexFile === undefined || isText(indexFile))
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function stateOf(files: readonly string[]): string {
  return files.map(stampOf).join(" ");
}

function stampOf(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? "-" : `${stats.mtimeMs}/${stats.size}`;
  } catch {
    return "?";
  }
}
