import { clientPages, clientTable } from "./client-pages.ts";
import { batteryTable } from "./battery-table.ts";
import { commandTable } from "./command-table.ts";
import { configTable, httpTable } from "./config-table.ts";
import { conformanceTable } from "./conformance-table.ts";
import { installLinks } from "./install-links.ts";
import { replaceBlock } from "./marked-block.ts";
import { metricTable } from "./metric-table.ts";
import { requirementsTable } from "./requirements-table.ts";
import { stateTables } from "./state-tables.ts";
import { toolTable } from "./tool-table.ts";

/** A page and the text of its generated blocks, by name. */
export interface GeneratedPage {
  /** Relative to the root of the checkout. */
  readonly file: string;
  readonly blocks: ReadonlyMap<string, string>;
}

export async function generatedPages(root: string): Promise<GeneratedPage[]> {
  return [
    {
      file: "docs/reference/tools.md",
      blocks: new Map([["tools", await toolTable()]]),
    },
    { file: "docs/reference/states.md", blocks: stateTables() },
    { file: "docs/reference/metrics.md", blocks: new Map([["metrics", metricTable()]]) },
    { file: "docs/clients/README.md", blocks: new Map([["clients", clientTable()]]) },
    ...clientPages(),
    { file: "docs/install.md", blocks: new Map([["links", installLinks()]]) },
    { file: "docs/configuration.md", blocks: new Map([["configuration", configTable()]]) },
    { file: "docs/http.md", blocks: new Map([["http", httpTable()]]) },
    { file: "docs/commands.md", blocks: new Map([["commands", await commandTable()]]) },
    {
      file: "docs/protocol.md",
      blocks: new Map([
        ["conformance", conformanceTable()],
        ["requirements", await requirementsTable(root)],
      ]),
    },
    { file: "docs/spec/battery.md", blocks: new Map([["battery", batteryTable(root)]]) },
  ];
}

/** @throws when a block's markers are missing */
export function renderPage(page: GeneratedPage, text: string): string {
  let rendered = text;
  for (const [name, body] of page.blocks) rendered = replaceBlock(rendered, name, body, page.file);
  return rendered;
}
