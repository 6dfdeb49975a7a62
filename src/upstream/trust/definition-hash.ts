import { createHash } from "node:crypto";

import { canonicalJson } from "../../protocol/canonical-json.ts";
import type { Params } from "../../protocol/json-rpc.ts";

/** The parts of a definition that an approval is for (TR1): all that a model reads, and all that says what it does. */
const toolParts = [
  "name",
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "annotations",
  "_meta",
] as const;
const promptParts = ["name", "title", "description", "arguments", "_meta"] as const;

/** SHA-256 in hexadecimal of what is approved with the tool. */
export function toolHash(tool: Params): string {
  return hashOf(approvedToolParts(tool));
}

export function promptHash(prompt: Params): string {
  return hashOf(approvedPromptParts(prompt));
}

export function instructionsHash(instructions: string): string {
  return hashOf(approvedInstructions(instructions));
}

/** What an approval is for, and what differences are shown of. */
export function approvedToolParts(tool: Params): Params {
  return partsOf(tool, toolParts);
}

export function approvedPromptParts(prompt: Params): Params {
  return partsOf(prompt, promptParts);
}

export function approvedInstructions(instructions: string): Params {
  return { instructions };
}

function partsOf(definition: Params, names: readonly string[]): Params {
  return Object.fromEntries(
    names.filter((name) => definition[name] !== undefined).map((name) => [name, definition[name]]),
  );
}

/**
 * Normalised as a whole: two members whose names differ in their composition only stay two, so that neither hides what
 * the other says.
 */
function hashOf(parts: Params): string {
  return createHash("sha256").update(canonicalJson(parts).normalize("NFC")).digest("hex");
}
