import { homepageOf, downloadUrl, type ReleaseFacts } from "./ways.ts";

/** The page of the schema that `server.json` follows; the registry reads its date. */
const schema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/** The registry takes no longer descriptions. */
const descriptionMax = 100;

/**
 * The entry of the official MCP registry: a package for each bundle. A client chooses the one for its machine.
 * @param bundles the hash of each `.mcpb` file, by its name
 */
export function serverJson(
  facts: ReleaseFacts,
  bundles: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  const { version, description } = facts;
  const [owner] = facts.repository.split("/");
  if (description.length > descriptionMax) {
    throw new Error(`the description has more than ${descriptionMax} characters`);
  }
  return {
    $schema: schema,
    name: `io.github.${owner}/scorpiox-code`,
    title: "scorpiox-code",
    description,
    version,
    websiteUrl: homepageOf(facts),
    repository: { url: homepageOf(facts), source: "github" },
    packages: [...bundles].map(([file, fileSha256]) => ({
      registryType: "mcpb",
      identifier: downloadUrl(facts, file),
      version,
      fileSha256,
      transport: { type: "stdio" },
    })),
  };
}
