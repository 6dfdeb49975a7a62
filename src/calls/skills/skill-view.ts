import { startTimer } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { skillListDiskMsMax, skillListMsMax } from "../../base/limits.ts";
import { skillToolName } from "../../base/tool-kinds.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";
import { skillToolDescription } from "../../state/skills/list-for-model.ts";
import { loadSkill, skillResult, unknownSkill } from "../../state/skills/load-skill.ts";
import type { SkillLibrary, SkillSet } from "../../state/skills/skill-library.ts";
import type { LoadedSkill, LoadSkillRequest } from "../../tools/state-services.ts";
import type { CallRequest, ClientContext } from "../call.ts";
import { workspaceDirOf } from "../state-calls.ts";
import type { SkillWatch } from "./skill-watch.ts";

/** The skills of one client at one moment. */
export interface ClientSkills {
  readonly set: SkillSet;
  /** The one that `set` was made for; undefined: only skills that do not depend on it. */
  readonly workspace: string | undefined;
}

const nothing: ClientSkills = {
  set: { skills: [], byName: new Map(), unused: [], problems: [] },
  workspace: undefined,
};

/** The skills that a client sees: those of its workspace, of the user, and the built-in ones. */
export class SkillView {
  readonly #library: SkillLibrary;
  readonly #watch: SkillWatch;
  readonly #isOffered: boolean;

  /** @param isOffered false where the tool is switched off: then nobody sees any skill */
  constructor(library: SkillLibrary, watch: SkillWatch, isOffered: boolean) {
    this.#library = library;
    this.#watch = watch;
    this.#isOffered = isOffered;
  }

  /**
   * For lists: waits `skillListMsMax` for the client's roots and `skillListDiskMsMax` for the disk. Later skills are reported
   * as a change, as are all changes from now on.
   */
  async forList(client: ClientContext): Promise<ClientSkills> {
    if (!this.#isFor(client)) return nothing;
    this.#watch.begin(client);
    const place = placeOf(client);
    const whole = place.then((known) => this.#at(known));
    const known = await within(skillListMsMax, place);
    const inTime = known === undefined ? undefined : await within(skillListDiskMsMax, whole);
    // A disk that was late once has had its time.
    const diskMsMax = known === undefined ? skillListDiskMsMax : skillListMsMax;
    const given = inTime ?? { set: await this.#withoutWorkspace(diskMsMax), workspace: undefined };
    this.#watch.note(client.id, given.workspace, given.set);
    if (inTime === undefined) {
      void whole.then(({ set, workspace }) => this.#watch.note(client.id, workspace, set));
    }
    return given;
  }

  /** For one skill: waits as long as it takes. */
  async forUse(client: ClientContext): Promise<ClientSkills> {
    if (!this.#isFor(client)) return nothing;
    return this.#at(await placeOf(client));
  }

  async #at({ workspace }: Place): Promise<ClientSkills> {
    return { set: await this.#library.find(workspace), workspace };
  }

  async #withoutWorkspace(diskMsMax: number): Promise<SkillSet> {
    const found = await within(diskMsMax, this.#library.find(undefined));
    return found ?? this.#library.known(undefined);
  }

  #isFor({ mayUse }: ClientContext): boolean {
    return this.#isOffered && mayUse?.(skillToolName) !== false;
  }
}

interface Place {
  readonly workspace: string | undefined;
}

async function placeOf(client: ClientContext): Promise<Place> {
  // Its commands write there while files would be read: it has no skills of its own.
  if (client.ownPlace?.() !== undefined) return { workspace: undefined };
  return { workspace: await workspaceDirOf(client).catch(() => undefined) };
}

/** `work`, or undefined when it takes longer than `limitMs`. */
async function within<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = startTimer(limitMs, () => late.resolve(undefined));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    timer.stop();
  }
}

/** The tools with the description of InvokeSkill that fits a set of skills; the same list for the same set. */
export class SkillToolListings {
  readonly #plain: readonly ToolListing[];
  readonly #known = new WeakMap<SkillSet, readonly ToolListing[]>();

  constructor(plain: readonly ToolListing[]) {
    this.#plain = plain;
  }

  of(set: SkillSet): readonly ToolListing[] {
    const known = this.#known.get(set);
    if (known !== undefined) return known;
    const listings = this.#make(skillToolDescription(set.skills));
    this.#known.set(set, listings);
    return listings;
  }

  #make(description: string): readonly ToolListing[] {
    const isSame = this.#plain.some(
      (listing) => listing.name === skillToolName && listing.description === description,
    );
    if (isSame) return this.#plain;
    return this.#plain.map((listing) =>
      listing.name === skillToolName ? { ...listing, description } : listing,
    );
  }
}

/** The skill that InvokeSkill asks for. @throws AppError `not_found` with the nearest names, `refused`, `limit`, `system` */
export async function loadForCall(
  view: SkillView,
  { name, arguments: given }: LoadSkillRequest,
  { client }: CallRequest,
): Promise<LoadedSkill> {
  const { set, workspace } = await view.forUse(client);
  const skill = set.byName.get(name);
  if (skill === undefined) throw unknownSkill(name, set);
  if (!skill.isForModel) {
    throw new AppError(
      "refused",
      `The skill ${name} is for the user to start, as a prompt (disable-model-invocation). Ask the user to do that.`,
    );
  }
  const loaded = await loadSkill(skill, workspace, given);
  const { folder, files } = loaded;
  return { name, text: skillResult(loaded), folder, files };
}
