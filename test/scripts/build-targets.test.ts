import { describe, expect, test } from "bun:test";
import { parseOptions } from "../../scripts/build/options.ts";
import { findTarget, hostTarget, targetOf, targets } from "../../scripts/build/targets.ts";

describe("targets", () => {
  test("are these eight, under these names", () => {
    expect(targets.map((row) => [row.name, row.file, row.bun])).toEqual([
      ["linux-x64", "scorpiox-code-linux-x64", "bun-linux-x64"],
      ["linux-arm64", "scorpiox-code-linux-arm64", "bun-linux-arm64"],
      ["linux-x64-musl", "scorpiox-code-linux-x64-musl", "bun-linux-x64-musl"],
      ["linux-arm64-musl", "scorpiox-code-linux-arm64-musl", "bun-linux-arm64-musl"],
      ["darwin-x64", "scorpiox-code-darwin-x64", "bun-darwin-x64"],
      ["darwin-arm64", "scorpiox-code-darwin-arm64", "bun-darwin-arm64"],
      ["windows-x64", "scorpiox-code-windows-x64.exe", "bun-windows-x64"],
      ["windows-arm64", "scorpiox-code-windows-arm64.exe", "bun-windows-arm64"],
    ]);
  });

  test.each<[string, string, boolean, string | undefined]>([
    ["linux", "x64", false, "linux-x64"],
    ["linux", "arm64", true, "linux-arm64-musl"],
    ["darwin", "arm64", false, "darwin-arm64"],
    ["win32", "x64", false, "windows-x64"],
    ["linux", "riscv64", false, undefined],
    ["freebsd", "x64", false, undefined],
  ])("targetOf() %s %s, musl %p", (platform, arch, musl, name) => {
    expect(targetOf(platform, arch, musl)?.name).toBe(name);
  });
});

describe("parseOptions()", () => {
  const host = hostTarget()?.name ?? "none";
  test.each<[string[], string, string[], string]>([
    [[], "product", [host], "dist"],
    [["--all"], "product", targets.map((row) => row.name), "dist"],
    [["--target", "darwin-x64", "--outdir", "o"], "product", ["darwin-x64"], "o"],
    [["--target=linux-x64", "--target=linux-x64"], "product", ["linux-x64"], "dist"],
    [["--faulty"], "faulty", [host], "dist"],
  ])("%p", (args, kind, names, outdir) => {
    expect(parseOptions(args)).toEqual({
      kind: kind === "faulty" ? "faulty" : "product",
      outdir,
      targets: names.flatMap((name) => findTarget(name) ?? []),
    });
  });

  test.each([
    [["--target", "plan9-x64"], 'no target "plan9-x64"; there are: linux-x64'],
    [["--all", "--target", "linux-x64"], "not both"],
    [["--faulty", "--all"], "this machine only"],
    [["--faulty", "--release"], "this machine only"],
    [["--fast"], "--fast"],
  ])("%p is refused", (args, message) => {
    expect(() => parseOptions(args)).toThrow(message);
  });
});
