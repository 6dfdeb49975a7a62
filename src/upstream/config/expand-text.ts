import type { ConfiguredServer } from "./server-entry.ts";
import type { ExpansionContext } from "./expansion-context.ts";
import { NeedsConfig } from "./needs-config.ts";
import { TextExpander } from "./text-expander.ts";

export type ExpandedText =
  | { readonly kind: "ready"; readonly text: string }
  /** `text` is a sentence: what is missing and what to do. */
  | { readonly kind: "needs_config"; readonly text: string };

/** Fills in the references of a text that stands in an entry beside its launch. */
export async function expandText(
  text: string,
  server: ConfiguredServer,
  context: ExpansionContext,
): Promise<ExpandedText> {
  try {
    return { kind: "ready", text: await new TextExpander(server, context).expand(text) };
  } catch (error) {
    if (!(error instanceof NeedsConfig)) throw error;
    return { kind: "needs_config", text: error.message };
  }
}
