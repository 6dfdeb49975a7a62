import { isHeavyJson } from "../../base/json-weight.ts";
import type { HtmlDocument } from "../dom/parse-html.ts";
import { nodeText } from "../dom/node-text.ts";
import { walkElements } from "../dom/walk.ts";

/** A page's description of itself for search engines: JSON-LD of schema.org, and the meta tags of OpenGraph. */
export interface StructuredData {
  /** `@type`s of all that is described, and `og:<type>`, in lower case. */
  readonly types: ReadonlySet<string>;
  /** The longest `articleBody` or `text`; may be empty, may hold HTML. */
  readonly articleBody: string;
  readonly description: string;
}

/** Objects of one page that are looked at. */
const valuesMax = 20_000;
/** Longer scripts are data of an application. */
const scriptCharsMax = 2 * 1024 * 1024;

/** Reads the data in the head and the scripts; invalid JSON is ignored. */
export function readStructuredData(document: HtmlDocument): StructuredData {
  const types = new Set<string>();
  let articleBody = "";
  let description = "";
  walkElements(document, ({ name, attribs, children }) => {
    if (name === "meta") {
      const property = attribs["property"] ?? attribs["name"] ?? "";
      const content = attribs["content"] ?? "";
      if (property === "og:type") types.add(`og:${content.toLowerCase()}`);
      if (/^(?:og:|twitter:)?description$/i.test(property) && content.length > description.length) {
        description = content;
      }
    } else if (name === "script" && /ld\+json/i.test(attribs["type"] ?? "")) {
      const [first] = children;
      const text = first === undefined ? "" : nodeText({ children } as HtmlDocument);
      for (const body of describe(text, types)) {
        if (body.length > articleBody.length) articleBody = body;
      }
    } else if (attribs["itemtype"] !== undefined) {
      const type = /schema\.org\/(\w+)/i.exec(attribs["itemtype"])?.[1];
      if (type !== undefined) types.add(type.toLowerCase());
    }
    return "into";
  });
  return { types, articleBody, description };
}

function describe(json: string, types: Set<string>): string[] {
  if (json.length > scriptCharsMax || isHeavyJson(json)) return [];
  let root: unknown;
  try {
    root = JSON.parse(json);
  } catch {
    return [];
  }
  const bodies: string[] = [];
  const waiting: unknown[] = [root];
  for (let count = 0; count < valuesMax && waiting.length > 0; count++) {
    const value = waiting.pop();
    if (Array.isArray(value)) {
      for (const entry of value.slice(0, valuesMax)) waiting.push(entry);
    } else if (typeof value === "object" && value !== null) {
      readObject(value, types, bodies);
      for (const entry of Object.values(value)) {
        if (typeof entry === "object") waiting.push(entry);
      }
    }
  }
  return bodies;
}

function readObject(value: object, types: Set<string>, bodies: string[]): void {
  for (const [key, entry] of Object.entries(value)) {
    if (key === "@type") {
      for (const type of [entry].flat())
        if (typeof type === "string") types.add(type.toLowerCase());
    } else if ((key === "articleBody" || key === "text") && typeof entry === "string") {
      bodies.push(entry);
    }
  }
}
