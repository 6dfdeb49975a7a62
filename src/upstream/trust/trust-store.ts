import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";

import { approvedLaunchesMax, pinnedServersMax } from "../../base/upstream-limits.ts";
import { trustFileName } from "../../base/own-files.ts";
import { ApprovedDefinitions, type Definitions } from "./approved-definition.ts";
import {
  emptyPins,
  type LaunchVerdict,
  type ToolPins,
  TrustFile,
  type TrustRecord,
} from "./trust-file.ts";

/** Hashes to add to the approvals of a launch, with their definitions. */
export interface NewPins {
  /**
   * True for a first contact: of two processes that contact a server at the same time, only the first one adds its
   * hashes.
   */
  readonly isFirst?: boolean;
  readonly instructions?: string;
  readonly tools: ReadonlyMap<string, string>;
  readonly prompts: ReadonlyMap<string, string>;
  readonly definitions: Definitions;
}

/**
 * The user's approvals: launches of projects, and the approved offers of servers. Stored in `trust.json` of the user's
 * folder for all processes; every read is as new as the file.
 */
export class TrustStore {
  readonly #file: TrustFile;
  readonly #definitions: ApprovedDefinitions;
  /** First contacts that could not be written, so that a server does not have a first contact repeatedly. */
  readonly #unwritten = new Map<string, ToolPins>();

  /** @param scorpioxDir `~/.scorpiox` */
  constructor(scorpioxDir: string) {
    this.#file = new TrustFile(join(scorpioxDir, trustFileName));
    this.#definitions = new ApprovedDefinitions(join(scorpioxDir, "trust"));
  }

  /** The file that changes with each approval or revocation. */
  get path(): string {
    return this.#file.path;
  }

  /** Why the approvals cannot be used, for a person; undefined when they can. */
  async problem(): Promise<string | undefined> {
    return (await this.#file.read()).problem;
  }

  /** For `launch-approval.ts`, which defines the key of an approval. Undefined before a decision. */
  async launchVerdict(identity: string, projectDir: string): Promise<LaunchVerdict | undefined> {
    const { record } = await this.#file.read();
    return record.launches.get(identity)?.get(await realDir(projectDir));
  }

  /** @throws AppError `system` */
  async approveLaunch(identity: string, projectDir: string): Promise<void> {
    await this.#setVerdict(identity, projectDir, "approved");
  }

  /** Refuses a launch: it is not started, and the user is not asked again. @throws AppError `system` */
  async denyLaunch(identity: string, projectDir: string): Promise<void> {
    await this.#setVerdict(identity, projectDir, "denied");
  }

  /** Forgets a decision. False when there was none. @throws AppError `system` */
  async revokeLaunch(identity: string, projectDir: string): Promise<boolean> {
    return this.#setVerdict(identity, projectDir, undefined);
  }

  /** Undefined before the first contact. */
  async pinsOf(identity: string): Promise<ToolPins | undefined> {
    return (await this.#file.read()).record.pins.get(identity) ?? this.#unwritten.get(identity);
  }

  /** The approved definitions of a launch, to show differences. Never rejects. */
  async definitionsOf(identity: string): Promise<Definitions> {
    return this.#definitions.read(identity);
  }

  /** Stores the definitions behind hashes, to show differences later. Never rejects. */
  async keepDefinitions(identity: string, definitions: Definitions): Promise<void> {
    await this.#definitions.add(identity, definitions);
  }

  /**
   * Adds to the approvals and keeps the others. A first contact adds nothing when another process was first; its offer
   * is then compared with those approvals. A first contact that cannot be written is remembered while this process
   * runs.
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

  /** Changes the latest approvals of a launch; undefined makes its next contact the first. @throws AppError `system` */
  async updatePins(
    identity: string,
    change: (pins: ToolPins | undefined) => ToolPins | undefined,
  ): Promise<void> {
    await this.#file.update((record) => {
      const before = record.pins.get(identity);
      const after = change(before);
      if (after === before) return record;
      const pins = new Map(record.pins);
      // A known launch keeps its place.
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

/** The last `count` items; the user may have to decide again about older ones. */
function newest<Item>(map: ReadonlyMap<string, Item>, count: number): ReadonlyMap<string, Item> {
  return map.size <= count ? map : new Map([...map].slice(map.size - count));
}

/** The real path, so that a project has one name for all links to it. */
async function realDir(dir: string): Promise<string> {
  try {
    return await realpath(dir);
  } catch {
    return resolve(dir);
  }
}
