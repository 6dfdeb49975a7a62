import { expect, test } from "bun:test";
import * as z from "zod/mini";

import { describeIssues } from "../../../src/tools/workers/argument-errors.ts";

const schema = z.strictObject({
  action: z.optional(z.enum(["set", "list"])),
  text: z.optional(z.string().check(z.minLength(2), z.maxLength(3))),
});
const required = z.strictObject({ action: z.enum(["set", "list"]) });

test.each([
  [required, {}, "`action` is missing: it must be one of set, list."],
  [required, { action: "st" }, '`action` must be one of set, list, not "st".'],
  [schema, { text: "a" }, "`text` must not be shorter than 2 characters."],
  [schema, { text: "abcd" }, "`text` must not be longer than 3 characters."],
])("describeIssues() says what is wrong: %#", (checked, args, text) => {
  const { error } = checked.safeParse(args, { reportInput: true });
  expect(describeIssues(error?.issues ?? [], [])).toBe(text);
});
