import type { ToolListing } from "../../protocol/tool-types.ts";
import { skillToolDescription } from "../../state/skills/list-for-model.ts";
import type { SkillSet } from "../../state/skills/skill-library.ts";
import { skillToolName } from "./skill-tool-name.ts";

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
