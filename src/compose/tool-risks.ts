import { riskOfHints, type ToolRisk } from "../base/tool-kinds.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import { toolCallName, toolSearchName } from "../upstream/search/gateway-tools.ts";
import type { UpstreamSnapshot } from "../upstream/snapshot.ts";

/** The risk of each tool by its name: own tools by their definition, those of upstream servers as their snapshot says. */
export class ToolRisks {
  readonly #own: ReadonlyMap<string, ToolRisk>;
  readonly #snapshot: () => UpstreamSnapshot | undefined;
  #foreign:
    { readonly of: UpstreamSnapshot; readonly risks: ReadonlyMap<string, ToolRisk> } | undefined;

  constructor(
    own: readonly Pick<ToolListing, "name" | "annotations">[],
    snapshot: () => UpstreamSnapshot | undefined,
  ) {
    this.#own = new Map([
      ...own.map(({ name, annotations }) => [name, riskOfHints(annotations)] as const),
      [toolSearchName, "read"],
      // The tool that it calls is looked at again under its own name.
      [toolCallName, "read"],
    ]);
    this.#snapshot = snapshot;
  }

  /** A tool of which nothing is known may destroy. */
  riskOf(name: string): ToolRisk {
    return this.#own.get(name) ?? this.#foreignRisks()?.get(name) ?? "destructive";
  }

  #foreignRisks(): ReadonlyMap<string, ToolRisk> | undefined {
    const snapshot = this.#snapshot();
    if (snapshot === undefined) return undefined;
    if (this.#foreign?.of === snapshot) return this.#foreign.risks;
    const risks = new Map<string, ToolRisk>();
    for (const { name, risk } of snapshot.tools) risks.set(name, risk ?? "destructive");
    this.#foreign = { of: snapshot, risks };
    return risks;
  }
}
