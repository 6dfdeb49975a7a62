import { jsonOrNothing } from "../../base/values.ts";
import { isHeavyJson } from "../../base/weight.ts";
import { nodeText } from "../dom/element.ts";
import { type HtmlDocument, type HtmlElement, walkElements } from "../dom/parse-html.ts";

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

/** `StructuredData` while the page is read. */
interface Draft {
  readonly types: Set<string>;
  articleBody: string;
  description: string;
}

/** Reads the data in the head and the scripts; invalid JSON is ignored. */
export function readStructuredData(document: HtmlDocument): StructuredData {
  const draft: Draft = { types: new Set(), articleBody: "", description: "" };
  walkElements(document, (element) => {
    readElement(element, draft);
    return "into";
  });
  return draft;
}

function readElement(element: HtmlElement, draft: Draft): void {
  const { name, attribs } = element;
  if (name === "meta") readMeta(attribs, draft);
  else if (name === "script" && /ld\+json/i.test(attribs["type"] ?? "")) readJsonLd(element, draft);
  else if (attribs["itemtype"] !== undefined) addItemType(attribs["itemtype"], draft);
}

function readMeta(attribs: HtmlElement["attribs"], draft: Draft): void {
  const property = attribs["property"] ?? attribs["name"] ?? "";
  const content = attribs["content"] ?? "";
  if (property === "og:type") draft.types.add(`og:${content.toLowerCase()}`);
  if (!/^(?:og:|twitter:)?description$/i.test(property)) return;
  if (content.length > draft.description.length) draft.description = content;
}

function readJsonLd(script: HtmlElement, draft: Draft): void {
  for (const body of describe(nodeText(script), draft.types)) {
    if (body.length > draft.articleBody.length) draft.articleBody = body;
  }
}

function addItemType(itemType: string, { types }: Draft): void {
  const type = /schema\.org\/(\w+)/i.exec(itemType)?.[1];
  if (type !== undefined) types.add(type.toLowerCase());
}

function describe(json: string, types: Set<string>): string[] {
  const bodies: string[] = [];
  const waiting: unknown[] = [parse(json)];
  for (let count = 0; count < valuesMax && waiting.length > 0; count++) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value)) readObject(value, types, bodies);
    for (const member of membersOf(value)) waiting.push(member);
  }
  return bodies;
}

/** Undefined if it is not JSON, or too large. */
function parse(json: string): unknown {
  if (json.length > scriptCharsMax || isHeavyJson(json)) return undefined;
  return jsonOrNothing(json);
}

function membersOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value.slice(0, valuesMax);
  return Object.values(value).filter((entry) => typeof entry === "object");
}

function readObject(value: object, types: Set<string>, bodies: string[]): void {
  for (const [key, entry] of Object.entries(value)) {
    if (key === "@type") addTypes(entry, types);
    else if ((key === "articleBody" || key === "text") && typeof entry === "string") {
      bodies.push(entry);
    }
  }
}

function addTypes(entry: unknown, types: Set<string>): void {
  for (const type of [entry].flat()) {
    if (typeof type === "string") types.add(type.toLowerCase());
  }
}
