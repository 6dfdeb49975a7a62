import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";

import { approvedLaunchesMax, pinnedServersMax } from "../../base/upstream-limits.ts";
import { ApprovedDefinitions, type Definitions } from "./approved-definitions.ts";
import { TrustFile } from "./trust-file.ts";
import { emptyPins, type LaunchVerdict, type ToolPins, type TrustRecord } from "./trust-record.ts";

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
