/** The forms in which definitions, calls and results are written (gateway contract §7.6). */
export const toolFormats = ["mcp", "openai", "anthropic"] as const;

export type ToolFormat = (typeof toolFormats)[number];

/** Undefined for any other text. */
export function parseToolFormat(text: string | undefined): ToolFormat | undefined {
  return toolFormats.find((format) => format === text);
}
