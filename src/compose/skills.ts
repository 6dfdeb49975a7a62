import { skillToolName } from "../base/tool-kinds.ts";
import type { ClientContext } from "../calls/call.ts";
import type { Changes } from "../calls/features.ts";
import {
  loadForCall,
  type ClientSkills,
  SkillToolListings,
  SkillView,
} from "../calls/skills/skill-view.ts";
import type { RequiredSkills } from "../calls/skills/required-skills.ts";
import { SkillEntries, SkillResources } from "../calls/skills/skill-resources.ts";
import { ownPromptsFor, SkillCompletion, SkillPrompts } from "../calls/skills/skill-prompts.ts";
import { SkillWatch } from "../calls/skills/skill-watch.ts";
import type { StateServices } from "../calls/state-calls.ts";
import { createSkillLibrary } from "../cli/skill-library.ts";
import type { StartUp } from "../cli/start-up.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import type { SkillSet } from "../state/skills/skill-library.ts";

export interface SkillsParts {
  readonly start: StartUp;
  readonly changes: Changes;
  /** The tools that are switched on. */
  readonly listings: readonly ToolListing[];
  /** Gets to know which skills are loaded. */
  readonly required: Pick<RequiredSkills, "loaded">;
}

/** Skills in all the ways in which clients see them. One for each server. */
export class Skills implements Disposable {
  readonly prompts: SkillPrompts;
  readonly completion: SkillCompletion;
  readonly entries: SkillEntries;
  readonly resources: SkillResources;
  readonly #required: SkillsParts["required"];
  readonly #view: SkillView;
  readonly #watch: SkillWatch;
  readonly #listings: SkillToolListings;
  readonly #builtIn: SkillSet;

  constructor({ start, changes, listings, required }: SkillsParts) {
    const library = createSkillLibrary(start);
    this.#builtIn = library.known(undefined);
    this.#watch = new SkillWatch(library, changes);
    this.#view = new SkillView(
      library,
      this.#watch,
      listings.some(({ name }) => name === skillToolName),
    );
    this.#listings = new SkillToolListings(listings);
    this.#required = required;
    this.prompts = new SkillPrompts({
      view: this.#view,
      own: ownPromptsFor(new Set(listings.map(({ name }) => name))),
      onLoaded: (clientId, name) => required.loaded(clientId, name),
    });
    this.completion = new SkillCompletion(this.#view, this.prompts);
    this.entries = new SkillEntries(this.#view);
    this.resources = new SkillResources(this.#view, changes);
  }

  /** The tools, with the skills that this client sees in the description of InvokeSkill. */
  async toolListings(client: ClientContext): Promise<readonly ToolListing[]> {
    const { set } = await this.#view.forList(client);
    return this.#listings.of(set);
  }

  /** This client was given a list with the built-in skills: it is notified of any other. */
  watchFor(client: ClientContext): Promise<unknown> {
    this.#watch.begin(client);
    this.#watch.note(client.id, undefined, this.#builtIn);
    return this.#view.forList(client);
  }

  /** The skills that this client can use. */
  find(client: ClientContext): Promise<ClientSkills> {
    return this.#view.forUse(client);
  }

  readonly load: StateServices["skills"]["load"] = async (request, call) => {
    const loaded = await loadForCall(this.#view, request, call);
    this.#required.loaded(call.client.id, loaded.name);
    return loaded;
  };

  endClient(clientId: string): void {
    this.#watch.forget(clientId);
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
  }
}
