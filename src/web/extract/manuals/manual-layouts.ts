import { parsePattern, type ElementPattern } from "../kinds/element-pattern.ts";

/** Where a generator of documentation writes the text of a page. */
export interface ManualLayout {
  readonly generator: string;
  /** Fits a line of the page's `signs`. */
  readonly sign: RegExp;
  /** Ways to find the text; the first that finds something is used; each is one or several elements. */
  readonly text: readonly (readonly ElementPattern[])[];
  /** Elements inside the text that do not belong to it, besides those that never do. */
  readonly beside: readonly ElementPattern[];
}

/** Beside the text in the pages of every generator. */
export const besideEverywhere: readonly ElementPattern[] = [
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
export const manualLayouts: readonly ManualLayout[] = [
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
