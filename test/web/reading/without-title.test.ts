import { expect, test } from "bun:test";

import { withoutTitle } from "../../../src/web/reading/read-loaded.ts";

test.each([
  ["# The guide\n\nText.", "The guide", "Text."],
  ["# The `guide`\n\nText.", "The guide", "Text."],
  ["# C\\# basics\n\nText.", "C# basics", "Text."],
  ["The guide\n\nText.", "The guide", "Text."],
  ["# The guide", "The guide", ""],
  ["# Another\n\nText.", "The guide", "# Another\n\nText."],
  ["## Part\n\nText.", "The guide", "## Part\n\nText."],
  ["Text without a heading.", "", "Text without a heading."],
  ["", "", ""],
  ["---\n\nText.", "", "---\n\nText."],
])("withoutTitle(%j, %j)", (text, title, expected) => {
  expect(withoutTitle(text, title)).toBe(expected);
});
