import { mkdirSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import {
  approvedLaunchesMax,
  definitionFileBytesMax,
  pinnedServersMax,
} from "../../base/upstream-limits.ts";
import { withFileLock } from "../../config/file-lock.ts";
import { removeLeftDrafts, replaceFile } from "../../config/replace-file.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import {
  emptyPins,
  type LaunchVerdict,
  type ToolPins,
  TrustFile,
  type TrustRecord,
} from "./trust-file.ts";

/** Hashes to be added to what is approved of a launch, with what they are hashes of. */
export interface NewPins {
  /** Of a first contact: of two processes that meet a server at the same time, only one does. */
  readonly isFirst?: boolean;
  readonly instructions?: string;
  readonly tools: ReadonlyMap<string, string>;
  readonly prompts: ReadonlyMap<string, string>;
  readonly definitions: Definitions;
}

/**
 * What the user has approved: launches of projects, and what servers offered when they were approved. In `trust.json`
 * of the user's folder, for all processes; every reading is as new as the file.
 */
export class TrustStore {
  readonly #file: TrustFile;
  readonly #definitions: ApprovedDefinitions;
  /** First contacts that could not be written: a server must not be met for the first time again and again. */
  readonly #unwritten = new Map<string, ToolPins>();

  /** @param scorpioxDir `~/.scorpiox` */
  constructor(scorpioxDir: string) {
    this.#file = new TrustFile(join(scorpioxDir, "trust.json"));
    this.#definitions = new ApprovedDefinitions(join(scorpioxDir, "trust"));
  }

  /** What has to change when an approval was given or withdrawn. */
  get path(): string {
    return this.#file.path;
  }

  /** Why nothing counts as approved, fit for a person; undefined when the file can be used. */
  async problem(): Promise<string | undefined> {
    return (await this.#file.read()).problem;
  }

  /** Of `launch-approval.ts`, where it is said what an approval hangs on. Undefined: nobody was asked yet. */
  async launchVerdict(identity: string, projectDir: string): Promise<LaunchVerdict | undefined> {
    const { record } = await this.#file.read();
    return record.launches.get(identity)?.get(await realDir(projectDir));
  }

  /** @throws AppError `system` */
  async approveLaunch(identity: string, projectDir: string): Promise<void> {
    await this.#setVerdict(identity, projectDir, "approved");
  }

  /** It is not started, and nobody is asked again. @throws AppError `system` */
  async denyLaunch(identity: string, projectDir: string): Promise<void> {
    await this.#setVerdict(identity, projectDir, "denied");
  }

  /** As if nobody had been asked. False when that is so already. @throws AppError `system` */
  async revokeLaunch(identity: string, projectDir: string): Promise<boolean> {
    return this.#setVerdict(identity, projectDir, undefined);
  }

  /** Undefined before the first contact. */
  async pinsOf(identity: string): Promise<ToolPins | undefined> {
    return (await this.#file.read()).record.pins.get(identity) ?? this.#unwritten.get(identity);
  }

  /** What was approved of the launch, as its server wrote it: for showing differences. Never rejects. */
  async definitionsOf(identity: string): Promise<Definitions> {
    return this.#definitions.read(identity);
  }

  /** Keeps what hashes are made of, so that differences can be shown. Never rejects. */
  async keepDefinitions(identity: string, definitions: Definitions): Promise<void> {
    await this.#definitions.add(identity, definitions);
  }

  /**
   * Adds to what is approved, and keeps what else there is. A first contact adds nothing where another one was first: what
   * it has found is held against that. One that cannot be written counts as long as this process runs.
   * @throws AppError `system`
   */
  async addPins(identity: string, pins: NewPins): Promise<void> {
    await this.keepDefinitions(identity, pins.definitions);
    const met = withPins(this.#unwritten.get(identity), pins);
    try {
      await this.updatePins(identity, (known) => {
        if (known === undefined) return met;
        return pins.isFirst === true ? known : withPins(known, pins);
      });
      this.#unwritten.delete(identity);
    } catch (error) {
      this.#unwritten.set(identity, met);
      throw error;
    }
  }

  /** Changes what is approved of a launch as it is then; undefined = its next contact is the first. @throws AppError `system` */
  async updatePins(
    identity: string,
    change: (pins: ToolPins | undefined) => ToolPins | undefined,
  ): Promise<void> {
    await this.#file.update((record) => {
      const before = record.pins.get(identity);
      const after = change(before);
      if (after === before) return record;
      const pins = new Map(record.pins);
      // One that is known keeps its place.
      if (after === undefined) pins.delete(identity);
      else pins.set(identity, after);
      return { ...record, pins: newest(pins, pinnedServersMax) };
    });
  }

  async #setVerdict(
    identity: string,
    projectDir: string,
    verdict: LaunchVerdict | undefined,
  ): Promise<boolean> {
    const project = await realDir(projectDir);
    return this.#file.update((record) => withVerdict(record, identity, project, verdict));
  }
}

function withPins(known: ToolPins | undefined, pins: NewPins): ToolPins {
  const before = known ?? emptyPins;
  const instructions = pins.instructions ?? before.instructions;
  return {
    ...before,
    ...(instructions === undefined ? {} : { instructions }),
    tools: new Map([...before.tools, ...pins.tools]),
    prompts: new Map([...before.prompts, ...pins.prompts]),
  };
}

function withVerdict(
  record: TrustRecord,
  identity: string,
  project: string,
  verdict: LaunchVerdict | undefined,
): TrustRecord {
  const before = record.launches.get(identity);
  if (before?.get(project) === verdict) return record;
  const projects = new Map(before);
  if (verdict === undefined) projects.delete(project);
  else projects.set(project, verdict);
  const launches = new Map(record.launches);
  launches.delete(identity);
  if (projects.size > 0) launches.set(identity, projects);
  return { ...record, launches: newest(launches, approvedLaunchesMax) };
}

/** The last `count`: what was decided long ago may have to be decided again. */
function newest<Item>(map: ReadonlyMap<string, Item>, count: number): ReadonlyMap<string, Item> {
  return map.size <= count ? map : new Map([...map].slice(map.size - count));
}

/** One project has one name, however one got there. */
async function realDir(dir: string): Promise<string> {
  try {
    return await realpath(dir);
  } catch {
    return resolve(dir);
  }
}

/** What is behind hashes, by hash. */
type Definitions = ReadonlyMap<string, Params>;

/**
 * What was approved, word for word: one file for each launch. Only shown to people; what may be called is decided by the
 * hashes in `trust.json`, and a file that is lost or was changed costs a difference that cannot be shown.
 */
class ApprovedDefinitions {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Never rejects. */
  async read(identity: string): Promise<Definitions> {
    try {
      const file = this.#fileOf(identity);
      const stats = await stat(file);
      if (!stats.isFile() || stats.size > definitionFileBytesMax) return new Map();
      const value: unknown = JSON.parse(await readFile(file, "utf8"));
      if (!isObject(value)) return new Map();
      return new Map(
        Object.entries(value).filter((pair): pair is [string, Params] => isObject(pair[1])),
      );
    } catch {
      return new Map();
    }
  }

  /** The oldest are left out when all of them are too much. Never rejects. */
  async add(identity: string, definitions: Definitions): Promise<void> {
    if (definitions.size === 0) return;
    const file = this.#fileOf(identity);
    try {
      await withFileLock(file, async () => {
        const all = new Map([...(await this.read(identity)), ...definitions]);
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        removeLeftDrafts(file);
        replaceFile(file, textOf(all));
      });
    } catch {
      // A full disk or a folder of somebody else: approving does not depend on it.
    }
  }

  #fileOf(identity: string): string {
    return join(this.#folder, `${identity.replaceAll(/[^0-9a-z]/gi, "_")}.json`);
  }
}

function textOf(definitions: Definitions): string {
  const rows: string[] = [];
  // Braces and the newline.
  let bytes = 4;
  for (const [hash, definition] of [...definitions].toReversed()) {
    const row = `${JSON.stringify(hash)}:${JSON.stringify(definition)}`;
    bytes += Buffer.byteLength(row) + 2;
    if (bytes > definitionFileBytesMax) break;
    rows.unshift(row);
  }
  return `{${rows.join(",\n")}}\n`;
}
