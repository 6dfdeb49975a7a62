import { describe, expect, test } from "bun:test";

import { splitLeadingDate } from "../../../src/web/search/engine-list.ts";

const now = new Date("2026-03-31T12:00:00Z");

describe("splitLeadingDate()", () => {
  test.each([
    ["14 Oct 2023 ... text", "2023-10-14"],
    ["14 Oct 2023 … text", "2023-10-14"],
    ["3 September 2019 — text", "2019-09-03"],
    ["Jul 16, 2025 · text", "2025-07-16"],
    ["Jul 16, 2025 · text", "2025-07-16"],
    ["December 13, 2024 - text", "2024-12-13"],
    ["Sept. 1st, 2020 | text", "2020-09-01"],
    ["2024-02-29 - text", "2024-02-29"],
    ["2021-05-04T00:00:00.0000000 · text", "2021-05-04"],
    ["2024年3月4日 — text", "2024-03-04"],
    ["4 days ago - text", "2026-03-27"],
    ["1 week ago · text", "2026-03-24"],
    ["an hour ago … text", "2026-03-31"],
    ["13 hours ago … text", "2026-03-30"],
    ["1 month ago - text", "2026-02-28"],
    ["2 years ago - text", "2024-03-31"],
    ["yesterday - text", "2026-03-30"],
    ["today - text", "2026-03-31"],
  ])("%j", (written, date) => {
    expect(splitLeadingDate(written, now)).toEqual({ text: "text", date });
  });

  test.each([
    "text",
    "text - 14 Oct 2023",
    "14 Oct 2023 was a day",
    "May 2024 - text",
    "Feb 30, 2024 - text",
    "32 Oct 2023 ... text",
    "2024-13-01 - text",
    "99 apples ago - text",
    "well-known - text",
    "",
  ])("%j has none", (text) => {
    expect(splitLeadingDate(text, now)).toEqual({ text });
  });
});
