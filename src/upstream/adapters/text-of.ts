import { hidden } from "../../base/secrets.ts";
import { redactedCharsMin } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";

/**
 * The text of a tool's result (CA15): its text blocks and embedded texts, one below the other. Other blocks are named
 * in brackets. A result without any text gives its structured content as JSON. Takes any value and never throws.
 */
export function textOf(result: unknown): string {
  if (!isObject(result)) return "";
  const blocks = Array.isArray(result.content) ? result.content : [];
  const text = blocks.map((block: unknown) => blockText(block)).join("\n");
  if (text.trim() !== "") return cleanText(text);
  return result.structuredContent === undefined
    ? cleanText(text)
    : jsonOf(result.structuredContent);
}

/** The text that represents one block of content. */
export function blockText(block: unknown): string {
  if (!isObject(block)) return "[content of an unknown kind]";
  switch (block.type) {
    case "text":
      return stringOf(block.text);
    case "image":
    case "audio":
      return `[${block.type} ${describe(block.mimeType, block.data)}]`;
    case "resource_link":
      return linkText(block);
    case "resource":
      return resourceText(block.resource);
    default:
      return `[content of the unknown kind ${JSON.stringify(block.type) ?? "undefined"}]`;
  }
}

function linkText(link: Readonly<Record<string, unknown>>): string {
  const title = stringOf(link.title) || stringOf(link.name);
  return `${title} <${stringOf(link.uri)}>`.trimStart();
}

function resourceText(resource: unknown): string {
  if (!isObject(resource)) return "[resource]";
  if (typeof resource.text === "string") return resource.text;
  return `[resource ${stringOf(resource.uri)} ${describe(resource.mimeType, resource.blob)}]`;
}

/** `image/png 12 kB`. */
function describe(mimeType: unknown, base64: unknown): string {
  const size = typeof base64 === "string" ? sizeText(base64Bytes(base64)) : "without data";
  return [stringOf(mimeType), size].filter((part) => part !== "").join(" ");
}

function base64Bytes(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function jsonOf(value: unknown): string {
  return cleanText(JSON.stringify(value) ?? "");
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * Control sequences of a terminal, each as a whole: OSC, DCS, SOS, PM and APC with their text, CSI with its parameters,
 * other escapes. The text of a sequence ends at a line end or at the start of the next sequence, so that the work grows
 * linearly with the length.
 */
const sequences =
  // eslint-disable-next-line no-control-regex -- naming control characters is the purpose
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\n\u0007\u001b\u0090\u0098\u009b-\u009f]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;

/** C0 except tab and newline, DEL, C1. */
// eslint-disable-next-line no-control-regex -- naming control characters is the purpose
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

// eslint-disable-next-line no-control-regex -- naming control characters is the purpose
const suspects = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/**
 * Removes everything but text from an upstream server's text: escape sequences, control characters except tab and
 * newline, unpaired surrogates (CA15). A Windows line end becomes a newline.
 */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  if (!suspects.test(whole)) return whole;
  return whole.replaceAll(sequences, "").replaceAll(controls, "");
}

/** Built once for each launch and used for each line of its log. */
const expressions = new WeakMap<readonly string[], RegExp | null>();

/**
 * `text` with each secret written as `***`, the longest first, also in its forms in JSON, in a URL and in base64. Takes
 * one pass over the text, whose length the caller bounds.
 */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let expression = expressions.get(secrets);
  if (expression === undefined) {
    expression = expressionOf(secrets);
    expressions.set(secrets, expression);
  }
  return expression === null ? text : text.replace(expression, hidden);
}

function expressionOf(secrets: readonly string[]): RegExp | null {
  const forms = new Set(secrets.flatMap(formsOf));
  const sorted = [...forms].sort((a, b) => b.length - a.length);
  return sorted.length === 0
    ? null
    : new RegExp(sorted.map((form) => RegExp.escape(form)).join("|"), "g");
}

function formsOf(secret: string): readonly string[] {
  if (secret.length < redactedCharsMin) return [];
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams([["", secret]]).toString().slice(1),
    bytes.toString("base64"),
    bytes.toString("base64url"),
  ];
}
