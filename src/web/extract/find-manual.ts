import { hasChildren, isTag, type ParentNode } from "domhandler";
import { createInside } from "../dom/element.ts";
import { type HtmlElement, findElements, retainChildren } from "../dom/parse-html.ts";
import type { ContentBlock } from "./blocks/find-blocks.ts";
import { matchesAny, parsePattern, type ElementPattern } from "./kinds/element-pattern.ts";
import type { PageFacts } from "./page-facts.ts";

/** A page that a generator of documentation has written. */
export interface Manual {
  /** The elements that hold its text. */
  readonly roots: ReadonlySet<HtmlElement>;
  readonly isBeside: (element: HtmlElement) => boolean;
}

/** The text of a page of documentation, where its generator has a mark for it. */
export function findManual({ body, signs }: PageFacts): Manual | undefined {
  for (const layout of manualLayouts) {
    if (!signs.some((sign) => layout.sign.test(sign))) continue;
    const roots = findText(body, layout);
    if (roots.size === 0) continue;
    const beside = [...besideEverywhere, ...layout.beside];
    return { roots, isBeside: (element) => matchesAny(element, beside) };
  }
  return undefined;
}

function findText(body: HtmlElement, { text }: ManualLayout): Set<HtmlElement> {
  for (const way of text) {
    const found = [body, ...findElements(body, (element) => matchesAny(element, way))].filter(
      (element) => matchesAny(element, way),
    );
    if (found.length > 0) return new Set(found);
  }
  return new Set();
}

/** The text of a manual has at least this part of the weight of its page; else it is a part of the text. */
const sharedMin = 0.5;

/**
 * The blocks in the text of a manual: all of it, since its readers look for its tables, notes, terms and titles.
 * Elements beside it leave the document. Undefined, and nothing is changed, where the text has little of the `weights`,
 * the weight of each block.
 */
export function keepManual(
  manual: Manual,
  blocks: readonly ContentBlock[],
  weights: readonly number[],
): boolean[] | undefined {
  const isInText = createInside(manual.roots);
  let [shared, total] = [0, 0];
  for (const [index, { container }] of blocks.entries()) {
    const weight = weights[index] ?? 0;
    total += weight;
    if (isInText(container)) shared += weight;
  }
  if (shared < total * sharedMin) return undefined;
  removeBeside(manual);
  const isStillInText = createInside(manual.roots);
  const inText = blocks.map(({ container }) => isStillInText(container));
  return inText.includes(true) ? inText : undefined;
}

function removeBeside({ roots, isBeside }: Manual): void {
  const waiting: ParentNode[] = [...roots];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    retainChildren(node, (child) => !isTag(child) || !isBeside(child));
    for (const child of node.children) if (hasChildren(child)) waiting.push(child);
  }
}

/** Where a generator of documentation writes the text of a page. */
interface ManualLayout {
  readonly generator: string;
  /** Fits a line of the page's `signs`. */
  readonly sign: RegExp;
  /** Ways to find the text; the first that finds something is used; each is one or several elements. */
  readonly text: readonly (readonly ElementPattern[])[];
  /** Elements inside the text that do not belong to it, besides those that never do. */
  readonly beside: readonly ElementPattern[];
}

/** Beside the text in the pages of every generator. */
const besideEverywhere: readonly ElementPattern[] = [
  "nav",
  "footer",
  "[role=navigation]",
  "[role=search]",
  "[role=contentinfo]",
  ".breadcrumbs",
  ".breadcrumb",
  ".pagination-nav",
  "[role=tablist]",
].map(parsePattern);

/** DocBook and its derivatives name each division of a book; other divisions are inside these. */
const docBookDivisions =
  "book part reference chapter preface appendix article section sect1 sect2 sect3 simplesect refentry glossary bibliography index set toc".split(
    " ",
  );

function layout(
  generator: string,
  sign: RegExp,
  text: readonly string[],
  beside: readonly string[] = [],
): ManualLayout {
  return {
    generator,
    sign,
    text: text.map((way) => way.split(", ").map(parsePattern)),
    beside: beside.map(parsePattern),
  };
}

/** A page that fits several is of the first: themes and extensions come before the software that they extend. */
const manualLayouts: readonly ManualLayout[] = [
  layout(
    "Sphinx",
    /^file:.*_static\/(?:pygments|doctools|documentation_options|sphinx_highlight|basic)\b/,
    [
      "[itemprop=articleBody]",
      "article.bd-article",
      "article#furo-main-content",
      "div.body",
      "[role=main]",
      "div.section",
    ],
    [
      ".related",
      ".sphinxsidebar",
      ".prev-next-area",
      ".prev-next-bottom",
      ".prev-next-footer",
      ".rst-footer-buttons",
    ],
  ),
  layout(
    "rustdoc",
    /^generator:rustdoc/,
    ["#main-content", "main"],
    [
      ".rustdoc-breadcrumbs",
      ".out-of-band",
      ".rightside",
      ".srclink",
      "a.src",
      "#copy-path",
      ".test-arrow",
      ".tooltip",
      ".notable-traits",
      "summary.hideme",
    ],
  ),
  layout("mdBook", /^file:.*\bayu-highlight[^/]*\.css/, ["main"], [".buttons"]),
  layout(
    "javadoc",
    /^generator:javadoc/,
    ["main", "[role=main]", ".header, .contentContainer"],
    [".sub-title", ".subNav", ".topNav", ".bottomNav"],
  ),
  layout(
    "Doxygen",
    /^generator:doxygen|^file:(?:.*\/)?(?:doxygen|dynsections)[^/]*\.(?:css|js)/,
    [".headertitle, .contents"],
    [".ttc", ".dynheader", ".dyncontent"],
  ),
  layout(
    "DocBook",
    /^generator:(?:gtk-doc|docbook)/,
    [docBookDivisions.map((name) => `div.${name}`).join(", ")],
    [".navheader", ".navfooter", ".navigation", ".spirit-nav"],
  ),
  layout(
    "Texinfo",
    /^generator:(?:makeinfo|texi2any|texi2html|gnu texinfo)/,
    ["body"],
    [".header", ".nav-panel", "table.menu"],
  ),
  layout("AsciiDoc", /^generator:asciidoc/, ["#header, #preamble, #content, #footnotes"], ["#toc"]),
  layout(
    "Haddock",
    /^file:.*\bhaddock[^/]*\.js/,
    ["#content"],
    ["#synopsis", "a.link", "a.selflink"],
  ),
  layout("gi-docgen", /^file:.*\burlmap\.js/, ["#main"], [".generator"]),
  layout("LaTeX2HTML", /^generator:latex2html/, ["body"], [".navigation", "address"]),
  layout(
    "MediaWiki",
    /^generator:mediawiki/,
    ["h1#firstHeading, #mw-content-text"],
    [
      "[class*=navbar]",
      "[class*=navbox]",
      "[class*=editsection]",
      "#toc",
      "#catlinks",
      ".toc",
      ".printfooter",
      ".mw-jump-link",
    ],
  ),
  layout("Node.js", /^body:.*\bapi-section-/, ["#apicontent"]),
  layout("Nim", /^file:.*\bnimdoc\.out\.css/, ["#content"], ["#toc-list", ".link-seesrc"]),
  layout(
    "Erlang",
    /^file:.*\botp_doc\.css/,
    ["#content"],
    [".footer", ".title_link", ".ghlink-before", ".ghlink-after"],
  ),
  layout("RDoc", /^file:.*\bdarkfish\.js/, ["main"]),
  layout(
    "MkDocs",
    /^generator:mkdocs|^part:mkdocs_search_modal/,
    ["article.md-content__inner", "[itemprop=articleBody]", "[role=main]"],
    [".md-content__button", ".md-source-file"],
  ),
  layout("Docusaurus", /^generator:docusaurus/, [".theme-doc-markdown", "article"]),
  layout("VitePress", /^generator:vitepress/, [".vp-doc"]),
  layout("VuePress", /^generator:vuepress/, [".theme-default-content"]),
  layout("Starlight", /^generator:starlight/, ["h1#_top, .sl-markdown-content"]),
  layout("Antora", /^generator:antora/, ["article.doc"]),
  layout("ExDoc", /^generator:exdoc/, ["#top-content, .content-inner", "#content"]),
  layout(
    "QDoc",
    /^file:.*\bstyle\/(?:offline|online)(?:-simple)?\.css/,
    [".mainContent"],
    [".sidebar"],
  ),
  layout("TypeDoc", /^generator:typedoc/, [".col-content"]),
];
