import {
  accessSync,
  constants,
  openSync,
  closeSync,
  readdirSync,
  readSync,
  statSync,
} from "node:fs";

import type { Environment } from "../../base/values.ts";

/** The facts that discovery needs of a system; tests supply those of other systems. */
export interface SystemFacts {
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  readonly env: Environment;
  isExecutableFile(path: string): boolean;
  /** Names in a folder; none when it cannot be read. */
  listFolder(path: string): readonly string[];
  /** The first characters of a file; empty when it cannot be read. */
  readStart(path: string): string;
  /** The default value of a key of the Windows registry. */
  readRegistry(key: string): string | undefined;
}

/** Enough to see that a file is a script, and the program that it starts. */
const startBytes = 4096;
/** `reg query` answers in tens of ms. */
const registryMsMax = 3_000;

/** The system that this runs on. */
export function readSystemFacts(homeDir: string, env: Environment): SystemFacts {
  const { platform } = process;
  return { platform, homeDir, env, isExecutableFile, listFolder, readStart, readRegistry };
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function listFolder(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function readStart(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const buffer = Buffer.alloc(startBytes);
      return buffer.toString("latin1", 0, readSync(file, buffer, 0, startBytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

function readRegistry(key: string): string | undefined {
  try {
    const { stdout } = Bun.spawnSync(["reg", "query", key, "/ve"], {
      stdio: ["ignore", "pipe", "ignore"],
      timeout: registryMsMax,
    });
    return parseRegistryValue(stdout.toString());
  } catch {
    return undefined;
  }
}

/** The value in the output of `reg query KEY /ve`, without quotes around it. */
export function parseRegistryValue(output: string): string | undefined {
  const value = /\bREG_(?:EXPAND_)?SZ\s+(\S.*?)\s*$/m.exec(output)?.[1];
  return value?.replace(/^"(.*)"$/, "$1");
}
