import { Changes } from "../../src/calls/features.ts";

/** Has nothing but a name, comes and goes. */
export const appearingTool = "test_appearing_tool";
export const appearingPrompt = "test_appearing_prompt";
export const watchedUri = "test://watched-resource";

/** What changes while the fixture lives: the same for all of its clients, and for all replicas of a fleet. */
export class FixtureState {
  readonly changes = new Changes();
  #hasTool = false;
  #hasPrompt = false;
  #watchedVersion = 1;

  constructor() {
    // Also those of other replicas.
    this.changes.listen(({ kind }) => {
      if (kind === "tools") this.#hasTool = !this.#hasTool;
      else if (kind === "prompts") this.#hasPrompt = !this.#hasPrompt;
      else if (kind === "resource") this.#watchedVersion += 1;
    });
  }

  get hasAppearingTool(): boolean {
    return this.#hasTool;
  }

  get hasAppearingPrompt(): boolean {
    return this.#hasPrompt;
  }

  get watchedVersion(): number {
    return this.#watchedVersion;
  }

  changeTools(): void {
    this.changes.emit({ kind: "tools" });
  }

  changePrompts(): void {
    this.changes.emit({ kind: "prompts" });
  }

  changeWatchedResource(): void {
    this.changes.emit({ kind: "resource", uri: watchedUri });
  }
}
