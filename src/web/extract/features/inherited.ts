import { isTag } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import { createNameReader, evidenceCount } from "./name-evidence.ts";

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
      at = at !== body && at.parent !== null && isTag(at.parent) ? at.parent : undefined;
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
