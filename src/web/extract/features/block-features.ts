import { isTag } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import type { Block } from "../blocks/block.ts";
import type { PageFacts } from "../page-facts.ts";
import { containerFeatureNames, createContainerFeatures } from "./container-features.ts";
import { createInheritance, rolesInherited } from "./inherited.ts";
import { evidenceCount } from "./name-evidence.ts";
import { createNeighbourFeatures, neighbourFeatureNames } from "./neighbour-features.ts";
import { pageFeatureNames, pageFeatures } from "./page-features.ts";
import { createPlaceFeatures, placeFeatureNames } from "./place-features.ts";
import { textFeatureNames, textFeatures } from "./text-features.ts";

/** Kinds of element that a block can be, as one number: near kinds are near each other. */
const kinds: ReadonlyMap<string, number> = new Map(
  Object.entries({
    p: 1,
    blockquote: 2,
    pre: 3,
    dd: 4,
    li: 5,
    dt: 6,
    td: 7,
    th: 8,
    figcaption: 9,
    caption: 10,
    h1: 11,
    h2: 12,
    h3: 13,
    h4: 14,
    h5: 15,
    h6: 16,
    summary: 17,
    label: 18,
    button: 19,
    a: 20,
    div: 21,
    section: 22,
  }),
);
const otherKind = 23;

/** The kind of a block, as the models know it. */
function kindOf(block: Block): number {
  const [node] = block.nodes;
  if (node !== undefined && block.nodes.length === 1 && isTag(node) && node.name === "pre")
    return kinds.get("pre") ?? otherKind;
  return kinds.get(block.container.name) ?? otherKind;
}

export const blockFeatureNames: readonly string[] = [
  "kind",
  "depth",
  ...rolesInherited.map((role) => `role.${role}`),
  ...Array.from({ length: evidenceCount }, (_, index) => `name.${index}`),
  ...textFeatureNames,
  ...containerFeatureNames,
  ...neighbourFeatureNames,
  ...placeFeatureNames,
  ...pageFeatureNames,
];

/** The features of every block, in the order of `blockFeatureNames`. */
export function blockFeatures(page: PageFacts, blocks: readonly Block[]): Float32Array[] {
  const inherited = createInheritance(page.body);
  const container = createContainerFeatures(page, blocks);
  const neighbours = createNeighbourFeatures(blocks);
  const place = createPlaceFeatures(page, blocks);
  const ofPage = pageFeatures(page, blocks);
  return blocks.map((block, index) => {
    const { depth, distances } = inherited(elementOf(block));
    const row = new Float32Array(blockFeatureNames.length);
    row[0] = kindOf(block);
    row[1] = depth;
    let at = 2;
    // A row is written part by part: one list of all is slow to make, and there are hundreds.
    for (const part of [
      distances,
      textFeatures(block),
      container(block),
      neighbours(index),
      place(index),
      ofPage,
    ]) {
      for (let item = 0; item < part.length; item++) row[at + item] = part[item] ?? 0;
      at += part.length;
    }
    return row;
  });
}

function elementOf({ nodes, container }: Block): HtmlElement {
  const [node] = nodes;
  // A block of one link or `pre` is best described by that.
  return nodes.length === 1 && node !== undefined && isTag(node) ? node : container;
}
