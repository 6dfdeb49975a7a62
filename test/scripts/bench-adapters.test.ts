import { describe, expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { adapterOf, serverNames } from "../../scripts/bench/adapters.ts";
import { faults } from "../../scripts/bench/faults.ts";
import { metricOf } from "../../scripts/bench/metrics.ts";
import { paths } from "../../scripts/bench/paths.ts";
import { phaseNames } from "../../scripts/bench/phases/phase-names.ts";
import { targets } from "../../scripts/bench/targets.ts";

const binary = "/opt/scorpiox-code";

test("labels are unique, so that a row of the report names one server", () => {
  const labels = serverNames.map((name) => adapterOf(name).label);
  expect(labels).toEqual([...new Set(labels)]);
});

describe.each([...serverNames])("adapter %s", (name) => {
  const adapter = adapterOf(name);

  test("has a program that is absolute or found in PATH", () => {
    const [program = ""] = adapter.command(binary);
    expect(path.isAbsolute(program) || program === "node").toBe(true);
  });

  test("hands the command and the text on to its tools", () => {
    expect(JSON.stringify(adapter.shell?.("echo hi").args ?? "echo hi")).toContain("echo hi");
    expect(JSON.stringify(adapter.bigRequest?.("text").args ?? "text")).toContain("text");
  });

  test("names only phases that exist", () => {
    expect(phaseNames).toEqual(expect.arrayContaining([...(adapter.phases ?? [])]));
  });
});

test.each(targets.map((target) => [target.figure, target] as const))(
  "target “%s” is measured by a phase that its server takes part in",
  (_, target) => {
    const { phase } = metricOf(target.metric);
    expect(adapterOf(target.server).phases ?? phaseNames).toContain(phase);
  },
);

test("faults are recorded by the phase that causes them", () => {
  expect(faults.map((fault) => metricOf(fault.metric).phase)).toEqual(
    faults.map(() => "replacement"),
  );
});

test("the servers to compare with are pinned to exact versions", () => {
  const manifest: unknown = JSON.parse(
    fs.readFileSync(path.join(paths.peerSources, "package.json"), "utf8"),
  );
  expect(manifest).toMatchObject({
    dependencies: {
      "@modelcontextprotocol/sdk": expect.stringMatching(/^\d+\.\d+\.\d+$/),
      "@modelcontextprotocol/server": expect.stringMatching(/^\d+\.\d+\.\d+$/),
      "@modelcontextprotocol/server-everything": expect.stringMatching(/^\d+\.\d+\.\d+$/),
      "mcp-proxy": expect.stringMatching(/^\d+\.\d+\.\d+$/),
      supergateway: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      "mcp-server-commands": expect.stringMatching(/^\d+\.\d+\.\d+$/),
      zod: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    },
  });
});
