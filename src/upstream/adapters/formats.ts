/** The forms in which definitions, calls and results are written (docs/adapters.md#definitions). */
export const toolFormats = ["mcp", "openai", "anthropic"] as const;

export type ToolFormat = (typeof toolFormats)[number];

/** Undefined for any other text. */
export function parseToolFormat(text: string | undefined): ToolFormat | undefined {
  return toolFormats.find((format) => format === text);
}
