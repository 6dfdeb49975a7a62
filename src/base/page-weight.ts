import { heavyPageWeight } from "./limits.ts";

/** Bytes of tree for each element, as against those of its text. */
const elementWeight = 40;
/** Shorter texts cannot weigh so much and are not checked. */
const charsMin = heavyPageWeight / elementWeight;

/** Whether reading a page, as its text or the JSON of it, takes so much memory that few may be read at a time. */
export function isHeavyPage(text: string): boolean {
  if (text.length > heavyPageWeight) return true;
  if (text.length < charsMin) return false;
  let weight = text.length;
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1)) {
    weight += elementWeight;
    if (weight > heavyPageWeight) return true;
  }
  return false;
}
