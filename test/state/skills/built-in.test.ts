import { expect, test } from "bun:test";

import { builtInCards } from "../../../src/state/skills/built-in/built-in-cards.ts";
import { builtInSkills, builtInText } from "../../../src/state/skills/built-in/built-in-skills.ts";
import { commandListings } from "../../../src/cli/run/registry.ts";
import { configKeys } from "../../../src/config/keys.ts";
import { catalogue } from "../../../src/tools/catalogue.ts";

test("the cards say what the front matter says, and nothing is wrong with it", () => {
  expect(builtInSkills.map(({ name, description }) => ({ name, description }))).toEqual([
    ...builtInCards,
  ]);
  expect(builtInSkills.flatMap(({ problems }) => problems)).toEqual([]);
});

test.each(builtInCards.map(({ name }) => [name]))("%s is short", (name) => {
  const text = builtInText(name) ?? "";
  expect(text.split("\n").length).toBeLessThan(100);
  expect(text.length).toBeLessThan(6_000);
});

test.each(builtInCards.map(({ name }) => [name]))(
  "%s names commands, keys and tools that there are",
  (name) => {
    const text = builtInText(name) ?? "";
    const words = [
      ...text.matchAll(/scorpiox-code (config|skills|hooks|help|tools|version|serve)(?: (\w+))?/g),
    ];
    const known = commandListings.map((listing) => listing.name);
    const unknown = words.filter(
      ([, group = "", verb = ""]) => !known.includes(`${group} ${verb}`) && !known.includes(group),
    );
    expect(unknown.map(([command]) => command)).toEqual([]);
    const keys = text.match(/\b(?:TOOL|CLIENT|HOOKS|ADDITIONAL)_[A-Z_]+\b/g) ?? [];
    const real = (key: string): boolean => key === "TOOL_" || configKeys.has(key);
    expect(keys.filter((key) => !real(key))).toEqual([]);
    const tools =
      text.match(/\b(?:Invoke|Read|Web|Set|Kill|List|Plan|Background)[A-Z]\w+\b/g) ?? [];
    expect(tools.filter((tool) => !catalogue.has(tool))).toEqual([]);
  },
);

test("builtInText() knows no names of JavaScript's own", () => {
  expect([builtInText("constructor"), builtInText("__proto__")]).toEqual([undefined, undefined]);
});
