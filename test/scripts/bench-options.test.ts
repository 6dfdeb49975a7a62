import { describe, expect, test } from "bun:test";
import { serverNames } from "../../scripts/bench/adapters.ts";
import { helpText, parseOptions } from "../../scripts/bench/options.ts";
import { paths } from "../../scripts/bench/paths.ts";
import { phaseNames } from "../../scripts/bench/phases/phase-names.ts";
import { fullSettings, quickSettings } from "../../scripts/bench/settings.ts";

describe("parseOptions()", () => {
  test("without arguments measures everything and writes the documents", () => {
    expect(parseOptions([], {})).toEqual({
      binary: paths.binary,
      phases: phaseNames,
      servers: serverNames,
      settings: fullSettings,
      check: false,
      write: true,
      from: undefined,
      json: paths.lastRun,
      stderrFile: "/dev/null",
      help: false,
    });
  });

  test.each([
    ["--binary before SCORPIOX", ["--binary", "/a"], { SCORPIOX: "/b" }, "/a"],
    ["SCORPIOX before the default", [], { SCORPIOX: "/b" }, "/b"],
  ])("%s", (_, args, env, binary) => {
    expect(parseOptions(args, env).binary).toBe(binary);
  });

  test.each([
    ["part of the phases", ["--phases", "cold"], false],
    ["part of the servers", ["--servers", "scorpiox"], false],
    ["a quick run", ["--quick"], false],
    ["a check", ["--check"], false],
    ["a saved run", ["--from", "run.json"], false],
    ["a saved run on demand", ["--from", "run.json", "--write"], true],
  ])("%s: whether the documents are written", (_, args, write) => {
    expect(parseOptions(args, {}).write).toBe(write);
  });

  test("lists keep the order of the run and counts change the settings", () => {
    const options = parseOptions(["--quick", "--n", "2", "--phases", "calls,cold"], {});
    expect(options.phases).toEqual(["cold", "calls"]);
    expect(options.settings).toEqual({ ...quickSettings, coldStarts: 2 });
  });

  test.each([
    [["--phases", "cold,warm"], '--phases: no "warm"'],
    [["--servers", "x"], '--servers: no "x"'],
    [["--n", "0"], '--n takes a positive whole number, not "0"'],
    [["--calls", "1.5"], '--calls takes a positive whole number, not "1.5"'],
    [["--unknown"], "--unknown"],
  ])("%p is refused", (args, message) => {
    expect(() => parseOptions(args, {})).toThrow(message);
  });
});

test("the help names every phase and every server", () => {
  const help = helpText();
  expect([...phaseNames, ...serverNames].filter((name) => !help.includes(name))).toEqual([]);
});
