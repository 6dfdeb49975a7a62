import { appearingTool, type FixtureState } from "./fixture-state.ts";
import { type FixtureTool, noArguments, textResult } from "./fixture-tool.ts";

/** Tools that change what the server offers, so that clients are told. */
export function changeTools(state: FixtureState): readonly FixtureTool[] {
  return [
    trigger("test_trigger_tool_change", "Changes the list of tools.", () => state.changeTools()),
    trigger("test_trigger_prompt_change", "Changes the list of prompts.", () =>
      state.changePrompts(),
    ),
    trigger("test_trigger_resource_update", "Changes the watched resource.", () =>
      state.changeWatchedResource(),
    ),
  ];
}

export const appearing: FixtureTool = {
  listing: {
    name: appearingTool,
    description: "Is listed after every other change of the list.",
    inputSchema: noArguments,
  },
  answer: () => textResult("Here for now."),
};

function trigger(name: string, description: string, change: () => void): FixtureTool {
  return {
    listing: { name, description, inputSchema: noArguments },
    answer() {
      change();
      return textResult("Changed.");
    },
  };
}
