import { test } from "bun:test";

import { checkHostileTexts, readers } from "./hostile-texts.ts";
import { shareOf } from "../fixtures/long-run.ts";

test.each(readers)("a damaged file of $name is read or refused, and tells no secret", (reader) => {
  checkHostileTexts(reader, shareOf(300));
});
