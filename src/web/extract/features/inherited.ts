import { parentOf } from "../../dom/element.ts";
import type { HtmlElement } from "../../dom/parse-html.ts";

/**
 * Evidence from the names that authors give to elements. The words are those of the web at large, of templates and of
 * documentation generators (Sphinx, Docusaurus, MkDocs, VitePress, Discourse); no site is meant.
 */
const patterns: readonly RegExp[] = [
  // 0: the text itself
  /article-?_?body|articlebody|(?:entry|post|article|story|page|blog|single|main|body|rich|rte)[-_]*_?(?:content|body|text)|\bprose\b|markdown|wysiwyg|rich-?text|rst-content|td-post|field--name-body/,
  // 1: content in a wider sense
  /content|article|entry|post\b|post[-_]|story|body|main|text|document|section/,
  // 2: links to further reading
  /relat|recommend|more-?_?(?:from|stories|news|articles|posts|on)|similar|also-?_?like|read-?_?(?:next|more|also)|popular|trending|latest|most-?_?(?:read|viewed)|upsell|cross-?sell|carousel|slider|up-?next|suggest/,
  // 3: sharing
  /shar(?:e|ing)|social|sns|follow|twitter|facebook|whatsapp|addthis|bookmark/,
  // 4: comments and replies
  /comment|disqus|repl(?:y|ies)|respond|discussion|livefyre/,
  // 5: beside the text
  /side-?_?bar|aside|rail\b|right-?_?(?:col|rail)|left-?_?(?:col|rail)|secondary|widget/,
  // 6: moving about
  /\bnav|nav\b|navi|menu|breadcrumb|crumb|pagination|pager|prev|next|tabs?\b|skip|jump/,
  // 7: the end
  /foot(?:er)?(?:\b|[-_])|bottom|copyright|legal|colophon|disclaimer/,
  // 8: the start
  /(?:^|[\s_-])header|masthead|banner|hero|jumbotron|top-?_?bar|logo|branding/,
  // 9: selling
  /\bads?\b|[-_]ad[-_s]|^ad[-_]|advert|sponsor|promo|cta\b|call-?to|offer|affiliate|paywall|outbrain|taboola|dfp|gpt-/,
  // 10: asking for an address
  /newsletter|subscri|sign-?_?up|signup|opt-?in|mailing|email-?_?(?:form|capture)|login|sign-?in|register/,
  // 11: in front of the page
  /cookie|consent|gdpr|modal|popup|overlay|lightbox|toast|notice|alert|drawer|dialog|tooltip/,
  // 12: who and when
  /by-?_?line|author|\bbio\b|date|time|meta\b|meta[-_]|[-_]meta|publish|posted|dateline|reading-?time|credit|avatar|profile/,
  // 13: words about the text
  /\btags?\b|tag-?_?(?:list|cloud|links)|categor|topics?\b|keyword|label|badge|kicker|eyebrow/,
  // 14: contents of the page
  /\btoc\b|table-?_?of-?_?contents|on-?this-?page|outline|page-?toc|contents/,
  // 15: figures
  /caption|gallery|figure|image|photo|media|video|player|thumb|slide/,
  // 16: cards, rows and items
  /card|grid|list|item|tile|row|teaser|feed|result|product/,
  // 17: for readers of screens
  /sr-?only|visually-?_?hidden|screen-?reader|hidden|d-none|collapsed|offscreen|noprint|no-print/,
  // 18: a person's question or answer
  /faq|accordion|question|answer|\bpost\b|message|thread|topic-body|cooked/,
  // 19: tools of a reader
  /toolbar|actions?\b|button|btn|copy|edit|feedback|helpful|rating|vote|search|filter|sort|print|version/,
];

export const evidenceCount: number = patterns.length;

/** Names are not longer than this where they mean anything. */
const nameCharsMax = 300;
/** Different names of one page whose evidence is remembered. */
const rememberedMax = 20_000;

/** Reads names and remembers the results, since names repeat. */
function createNameReader(): (element: HtmlElement) => number {
  const known = new Map<string, number>();
  return ({ attribs }) => {
    const name = nameOf(attribs);
    if (name === "") return 0;
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    const evidence = evidenceOf(name);
    if (known.size < rememberedMax) known.set(name, evidence);
    return evidence;
  };
}

function nameOf(attribs: Readonly<Record<string, string>>): string {
  const { class: classes = "", id = "" } = attribs;
  const { itemprop, role, "aria-label": label } = attribs;
  const test = attribs["data-testid"] ?? attribs["data-component"];
  // Nearly all elements have a class and an id at most.
  const isCalledElse = (itemprop ?? role ?? label ?? test) !== undefined;
  const rest = isCalledElse ? ` ${itemprop ?? ""} ${role ?? ""} ${label ?? ""} ${test ?? ""}` : "";
  return `${classes} ${id}${rest}`.trim().slice(0, nameCharsMax);
}

/** A bit for each pattern that the name matches. */
function evidenceOf(name: string): number {
  // The parts of camelCase are words.
  const words = name.replaceAll(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
  let bits = 0;
  for (let index = 0; index < patterns.length; index++) {
    if (patterns[index]?.test(words) === true) bits |= 1 << index;
  }
  return bits;
}

/** Elements whose meaning their descendants inherit; the order is that of the features. */
export const rolesInherited = [
  "article",
  "main",
  "nav",
  "header",
  "footer",
  "aside",
  "form",
  "table",
  "list",
  "figure",
  "details",
  "button",
  "a",
  "blockquote",
  "section",
] as const;

type Role = (typeof rolesInherited)[number];

/** A distance above this is as far as any. */
const distanceMax = 12;

/** The features that an element has from itself and from its ancestors. */
export interface Inherited {
  readonly depth: number;
  /**
   * Levels up to the nearest element of each role of `rolesInherited`, then to the nearest name with each evidence;
   * `distanceMax` for none.
   */
  readonly distances: Uint8Array;
}

const ownRoles: ReadonlyMap<string, Role> = new Map(
  Object.entries<Role>({
    article: "article",
    main: "main",
    nav: "nav",
    header: "header",
    footer: "footer",
    aside: "aside",
    form: "form",
    table: "table",
    ul: "list",
    ol: "list",
    dl: "list",
    figure: "figure",
    details: "details",
    button: "button",
    a: "a",
    blockquote: "blockquote",
    section: "section",
  }),
);

const ariaRoles: ReadonlyMap<string, Role> = new Map(
  Object.entries<Role>({
    main: "main",
    article: "article",
    navigation: "nav",
    menu: "nav",
    banner: "header",
    contentinfo: "footer",
    complementary: "aside",
    button: "button",
    dialog: "aside",
    search: "form",
  }),
);

/** Finds the features that elements inherit; each element is looked at once. */
export function createInheritance(body: HtmlElement): (element: HtmlElement) => Inherited {
  const readName = createNameReader();
  const known = new Map<HtmlElement, Inherited>();
  const nothing: Inherited = {
    depth: 0,
    distances: new Uint8Array(rolesInherited.length + evidenceCount).fill(distanceMax),
  };
  return (element) => {
    const unknown: HtmlElement[] = [];
    let above: Inherited | undefined;
    let at: HtmlElement | undefined = element;
    while (at !== undefined && above === undefined) {
      above = known.get(at);
      if (above === undefined) unknown.push(at);
      at = at === body ? undefined : parentOf(at);
    }
    let inherited = above ?? nothing;
    for (const child of unknown.toReversed()) {
      inherited = inherit(child, inherited, readName(child));
      known.set(child, inherited);
    }
    return inherited;
  };
}

function inherit(element: HtmlElement, above: Inherited, evidence: number): Inherited {
  const distances = oneFurther(above.distances);
  const ownRole = ownRoles.get(element.name);
  if (ownRole !== undefined) distances[rolesInherited.indexOf(ownRole)] = 0;
  const ariaRole = ariaRoles.get(element.attribs["role"] ?? "");
  if (ariaRole !== undefined) distances[rolesInherited.indexOf(ariaRole)] = 0;
  // The names of `html` and `body` are switches of styles.
  if (evidence !== 0 && element.name !== "body" && element.name !== "html") {
    for (let index = 0; index < evidenceCount; index++) {
      if ((evidence & (1 << index)) !== 0) distances[rolesInherited.length + index] = 0;
    }
  }
  return { depth: above.depth + 1, distances };
}

function oneFurther(distances: Uint8Array): Uint8Array {
  const further = new Uint8Array(distances);
  for (let index = 0; index < further.length; index++) {
    const distance = further[index] ?? 0;
    if (distance < distanceMax) further[index] = distance + 1;
  }
  return further;
}
