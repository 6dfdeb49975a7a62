import { join } from "node:path";

import type { UpstreamConfig } from "./server-entry.ts";
import { FileChanges } from "./file-changes.ts";
import { LastGoodFiles } from "./last-good-files.ts";
import { loadUpstreamConfig, readUpstreamConfig } from "./load-upstream-config.ts";
import type { UpstreamConfigParts } from "./upstream-config-parts.ts";

/** Told with each change of a watched place. */
export interface UpstreamConfigChange {
  /** Read anew. A file that cannot be used for the moment counts with what it last said (CN15). */
  readonly config: UpstreamConfig;
  /** `trust.json` has changed: approvals have to be looked at again. */
  readonly hasTrustChanged: boolean;
}

/** Where approvals are kept. */
const trustFileName = "trust.json";
/** What changes with a login, and with a secret of the user's: servers that wait for one can be used. */
const secretFileNames = ["logins.json", join("secrets", "names.json")];

/**
 * Watches every place that configuration may come from, those that are not there yet included, and tells of the whole new
 * configuration within 2 s. Never throws, and what `onChange` throws is its own fault.
 * @param known what was read before: if that is no longer true by the time all places are watched, `onChange` is told
 * @param onWatching told once, when every change from then on is noticed: approvals that are read after that are not missed
 * @returns what ends it
 */
export function watchUpstreamConfig(
  parts: UpstreamConfigParts,
  onChange: (change: UpstreamConfigChange) => void,
  known: UpstreamConfig = loadUpstreamConfig(parts),
  onWatching: () => void = () => {},
): () => void {
  const withMemory = { ...parts, lastGood: parts.lastGood ?? new LastGoodFiles() };
  const { scorpioxDir } = parts.dirs;
  const trustFile = join(scorpioxDir, trustFileName);
  const own = [trustFile, ...secretFileNames.map((name) => join(scorpioxDir, name))];
  let isEnded = false;
  /** Also watches the places that the files name by now. */
  const read = (): UpstreamConfig => {
    const { config, files } = readUpstreamConfig(withMemory);
    void changes.watch([...files, ...own]);
    return config;
  };
  const changes = new FileChanges((changed) => {
    onChange({ config: read(), hasTrustChanged: changed.includes(trustFile) });
  });
  const { files } = readUpstreamConfig(withMemory);
  void changes.watch([...files, ...own]).then(() => {
    onWatching();
    if (isEnded) return;
    const config = read();
    if (textOf(config) !== textOf(known)) onChange({ config, hasTrustChanged: false });
  });
  return () => {
    isEnded = true;
    changes.close();
  };
}

function textOf(config: UpstreamConfig): string {
  return JSON.stringify({ ...config, servers: [...config.servers] });
}
