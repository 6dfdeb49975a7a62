import { Changes } from "../../src/calls/features.ts";

/** Has nothing but a name, comes and goes. */
export const appearingTool = "test_appearing_tool";
export const appearingPrompt = "test_appearing_prompt";
export const watchedUri = "test://watched-resource";

/** What changes while the fixture lives: the same for all of its clients. */
export class FixtureState {
  readonly changes = new Changes();
  #hasTool = false;
  #hasPrompt = false;
  #watchedVersion = 1;

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
    this.#hasTool = !this.#hasTool;
    this.changes.emit({ kind: "tools" });
  }

  changePrompts(): void {
    this.#hasPrompt = !this.#hasPrompt;
    this.changes.emit({ kind: "prompts" });
  }

  changeWatchedResource(): void {
    this.#watchedVersion += 1;
    this.changes.emit({ kind: "resource", uri: watchedUri });
  }
}
