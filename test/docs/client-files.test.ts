import { expect, test } from "bun:test";

import { clientStatesPage } from "../../scripts/docs/client-states.ts";
import { renderPage } from "../../scripts/docs/pages.ts";
import { withQuickFiles } from "../install/killed.ts";
import { readPage } from "./pages.ts";

test("[IN3] [IN4] [IN5] [IN6] docs/reference/client-files.md has what a run gives, and nothing is wrong", () =>
  withQuickFiles(async () => {
    const page = await clientStatesPage();
    const { text } = readPage(page.file);
    expect(renderPage(page, text)).toBe(text);
    expect(text).toContain(", 0 wrong.");
  }));
