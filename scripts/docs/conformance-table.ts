import { sdkBaselines } from "../conformance/baselines.ts";
import { expectedRuns, suiteVersion } from "../conformance/expected.ts";
import { code, pageTable, prose } from "./markdown.ts";

const notMeasured = "not measured";

/** What `bun run conformance` demands of us, beside the figures of the official SDKs. */
export function conformanceTable(): string {
  const rows = expectedRuns.map(({ name, passed, note }) => {
    const { sdk1 = notMeasured, sdk2 = notMeasured } = sdkBaselines[name] ?? {};
    return [code(name), prose(note), `${passed}/${passed}`, sdk1, sdk2];
  });
  const table = pageTable(["run", "scenarios", "our core", "SDK v1", "SDK v2"], rows);
  return `Version ${suiteVersion} of the suite:\n\n${table}`;
}
