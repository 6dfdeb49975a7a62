import { readdirSync } from "node:fs";
import { join } from "node:path";

/** One way to make a tree of a page, or Markdown of its content. Only `run` is timed. */
interface Steps {
  readonly prepare: (html: string, url: string) => Promise<unknown>;
  readonly run: (prepared: unknown) => unknown;
  /** What is compared. */
  readonly finish: (made: unknown) => string;
}

export interface Way {
  readonly name: string;
  readonly kind: "tree" | "markdown";
  /** Our files below the checkout. */
  readonly code: readonly string[];
  /** Modules that it loads. */
  readonly library: readonly string[];
  readonly load: () => Promise<Steps>;
}

const root = join(import.meta.dir, "../../..");

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`);
}

export const ways: readonly Way[] = [
  {
    name: "parse5, domhandler, our walks",
    kind: "tree",
    code: filesIn("src/web/dom"),
    library: ["parse5", "parse5-htmlparser2-tree-adapter", "domhandler"],
    async load() {
      const { parseHtml } = await import("../../../src/web/dom/parse-html.ts");
      const { nodeText } = await import("../../../src/web/dom/element.ts");
      const { findElement } = await import("../../../src/web/dom/parse-html.ts");
      return {
        prepare: (html) => Promise.resolve(html),
        run: (html) => parseHtml(html as string),
        finish(made) {
          const document = made as ReturnType<typeof parseHtml>;
          const body = findElement(document, ({ name }) => name === "body");
          return body === undefined ? "" : letters(nodeText(body));
        },
      };
    },
  },
  {
    name: "linkedom",
    kind: "tree",
    code: [],
    library: ["linkedom"],
    async load() {
      const { parseHTML } = await import("linkedom");
      return {
        prepare: (html) => Promise.resolve(html),
        run: (html) => parseHTML(String(html)).document,
        finish: (made) =>
          letters((made as ReturnType<typeof parseHTML>["document"]).body?.textContent ?? ""),
      };
    },
  },
  {
    name: "linkedom behind parse5",
    kind: "tree",
    code: [],
    library: ["linkedom", "parse5"],
    async load() {
      const { parseHTML } = await import("linkedom");
      const { parse, serialize } = await import("parse5");
      return {
        prepare: (html) => Promise.resolve(html),
        run: (html) =>
          parseHTML(serialize(parse(html as string, { scriptingEnabled: false }))).document,
        finish: (made) =>
          letters((made as ReturnType<typeof parseHTML>["document"]).body?.textContent ?? ""),
      };
    },
  },
  {
    name: "our writer",
    kind: "markdown",
    code: filesIn("src/web/markdown"),
    library: [],
    async load() {
      const { extractPage } = await import("../../../src/web/extract/extract-page.ts");
      const { toMarkdown } = await import("../../../src/web/markdown/to-markdown.ts");
      return {
        prepare: async (html, url) => await extractPage(html, url),
        run: (made) => toMarkdown(made as Awaited<ReturnType<typeof extractPage>>),
        finish: String,
      };
    },
  },
  {
    name: "turndown with GFM, of our clean HTML",
    kind: "markdown",
    code: ["src/web/markdown/to-clean-html.ts"],
    library: ["turndown", "turndown-plugin-gfm"],
    async load() {
      const { extractPage } = await import("../../../src/web/extract/extract-page.ts");
      const { toCleanHtml } = await import("../../../src/web/markdown/to-clean-html.ts");
      const { default: Turndown } = await import("turndown");
      const { gfm } = await import("turndown-plugin-gfm");
      return {
        prepare: async (html, url) => toCleanHtml(await extractPage(html, url)),
        run(html) {
          const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced" });
          turndown.use(gfm);
          return turndown.turndown(html as string);
        },
        finish: String,
      };
    },
  },
];

/** Without blanks, which serializers move. */
function letters(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
