import { join } from "node:path";

import { root } from "../../../test/e2e/harness/binary.ts";
import type { Outcome } from "../outcome.ts";
import { runTestFiles } from "../test-files.ts";
import type { HubMode } from "./hub-clients.ts";

/** A test file that configures MCP servers has one of these. */
const configures = /mcp_servers\.json|\[mcp\.servers|upstreamHome|mcpServers/;
const testMsMax = 180_000;

/**
 * The test files of the suite that have MCP servers, with every server of theirs using the hub.
 *
 *     bun run verify --only hub-suite [--hub on|off|auto] [--hub-idle 0]
 */
export async function checkHubSuite(mode: HubMode, idleS: number): Promise<Outcome> {
  const files = await filesWithServers();
  const env = { TEST_HUB: mode, TEST_HUB_IDLE: String(idleS) };
  const { passed, total, faults } = await runTestFiles(files, testMsMax, env);
  return {
    name: "hub: suite",
    passed: faults.length === 0 && passed > 0,
    figures: `${passed} of ${total} tests of ${files.length} files, with HUB=${mode}, HUB_IDLE=${idleS}`,
    faults,
  };
}

async function filesWithServers(): Promise<readonly string[]> {
  const paths = [...new Bun.Glob("test/e2e/*.test.ts").scanSync({ cwd: root })].toSorted();
  const found: string[] = [];
  for (const path of paths) {
    if (configures.test(await Bun.file(join(root, path)).text())) found.push(path);
  }
  return found;
}
