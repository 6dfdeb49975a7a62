import { expect, test } from "bun:test";

import { AppError } from "../../src/base/errors.ts";
import { invokeSkill } from "../../src/tools/invoke-skill.ts";
import type { LoadedSkill, LoadSkillRequest } from "../../src/tools/state-services.ts";
import { fakeContext } from "./fake-context.ts";

const loaded: LoadedSkill = { name: "a", text: "Do it.", folder: "/s/a", files: ["b.md"] };

test.each([
  [{ skill_name: "a" }, { name: "a", arguments: null }],
  [
    { skill_name: "a", arguments: "x y" },
    { name: "a", arguments: "x y" },
  ],
])("InvokeSkill passes on %j", async (input, request) => {
  const asked: LoadSkillRequest[] = [];
  const load = (each: LoadSkillRequest): Promise<LoadedSkill> => {
    asked.push(each);
    return Promise.resolve(loaded);
  };
  const result = await invokeSkill.handler(input, fakeContext({ skills: { load } }));
  expect(asked).toEqual([request]);
  expect(result).toEqual({
    text: "Do it.",
    structured: { name: "a", folder: "/s/a", files: ["b.md"] },
  });
});

test("InvokeSkill lets failures of the service through", async () => {
  const load = (): Promise<never> => Promise.reject(new AppError("not_found", "There is none."));
  const result = (async () =>
    invokeSkill.handler({ skill_name: "a" }, fakeContext({ skills: { load } })))();
  expect(await result.catch(String)).toContain("There is none.");
});
