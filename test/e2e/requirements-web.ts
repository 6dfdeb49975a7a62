import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to clients that read pages with ReadDocs. */
export const webRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/readdocs.md", {
    "readdocs.markdown":
      "A page is its main content as Markdown: code, tables and links as they were meant.",
    "readdocs.untrusted": "What a page says stands between marks that it cannot know.",
  }),
  ...from("docs/network.md#what-is-refused", {
    "web.addresses":
      "No name, redirect or answer of DNS leads to this machine or a private network, and nothing there is connected to.",
    "web.certificates":
      "Certificates are checked for pages and MCP servers, whatever a project's files say; that they are not is warned of.",
  }),
  ...from("docs/readdocs.md#long-pages", {
    "readdocs.pages": "Long pages come in parts that fit the client, join, and make one request.",
  }),
  ...from("docs/readdocs.md#what-can-be-read", {
    "readdocs.types": "JSON, feeds, source files and PDFs are read; pictures are named.",
  }),
  ...from("docs/readdocs.md#the-browser", {
    "readdocs.browser": "A page that scripts build is read from the browser, or said to need one.",
  }),
  ...from("docs/readdocs.md#errors", {
    "readdocs.errors": "What cannot be read is an error that says why and what to do.",
    "readdocs.hostile": "No page makes it crash, hang or disturb another call.",
  }),
};
