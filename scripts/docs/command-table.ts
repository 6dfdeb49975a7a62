import { commandListings } from "../../src/cli/run/registry.ts";
import { code, pageTable, prose } from "./markdown.ts";

/** The commands, in the order of the help. */
export async function commandTable(): Promise<string> {
  const rows: string[][] = [];
  for (const listing of commandListings) {
    const { usage } = await listing.load();
    rows.push([code(`${listing.name} ${usage}`.trim()), prose(listing.summary)]);
  }
  return pageTable(["command", "what it does"], rows);
}
