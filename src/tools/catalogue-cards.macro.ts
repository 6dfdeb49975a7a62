import { loadTools } from "./catalogue.ts";
import { type ToolCard, toolCard } from "./tool-card.ts";

const tools = await loadTools();

/**
 * Runs while the program is bundled: the main thread gets the listings as literals and never loads
 * zod, which would cost it a third of its start-up time.
 */
export function catalogueCards(): ToolCard[] {
  return tools.map(toolCard);
}
