import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of the search for hidden tools. */
export const toolSearchRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/tool-search.md#what-comes-back", {
    "gateway.gw-19": "A search shows who cannot be asked; without a match it shows what there is.",
  }),
  ...from("docs/tool-search.md#the-list-as-a-file", {
    "gateway.gw-20": "The file of tools has a line for each, and is gone when nothing is hidden.",
  }),
  ...from("docs/tool-search.md#when-tools-are-hidden", {
    "gateway.gw-21": "Five hundred hidden tools cost 1,500 estimated tokens at most.",
  }),
  ...from("docs/tool-search.md#what-the-model-is-told-first", {
    "gateway.told":
      "The instructions name no tool that is switched off, who waits for approval, and what each server is for.",
  }),
};
