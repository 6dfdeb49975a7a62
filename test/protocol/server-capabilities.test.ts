import { describe, expect, test } from "bun:test";
import {
  encodeCapabilities,
  type OfferedCapabilities,
} from "../../src/protocol/handshake-codec.ts";
import type { ProtocolVersion } from "../../src/protocol/message.ts";

const everything: OfferedCapabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true },
  prompts: { listChanged: true },
  completions: true,
  tasks: true,
  skills: true,
  apps: true,
};
const nothing: OfferedCapabilities = {
  tools: { listChanged: false },
  completions: false,
  tasks: false,
  skills: false,
};
const lists = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
};
const skills = { "io.modelcontextprotocol/skills": { directoryRead: true } };
const apps = { "io.modelcontextprotocol/ui": {} };
const tasks = { "io.modelcontextprotocol/tasks": {} };

describe("encodeCapabilities()", () => {
  test.each<[ProtocolVersion, Record<string, unknown>]>([
    ["2024-11-05", { ...lists, extensions: skills }],
    ["2025-03-26", { ...lists, completions: {}, extensions: skills }],
    ["2025-06-18", { ...lists, completions: {}, extensions: { ...skills, ...apps } }],
    ["2025-11-25", { ...lists, completions: {}, extensions: { ...skills, ...apps } }],
    ["2026-07-28", { ...lists, completions: {}, extensions: { ...skills, ...tasks, ...apps } }],
  ])("HP14: everything, as %s knows it", (version, expected) => {
    expect(encodeCapabilities(everything, version)).toEqual(expected);
  });

  test.each(["2024-11-05", "2025-11-25", "2026-07-28"] as const)("tools alone in %s", (version) => {
    expect(encodeCapabilities(nothing, version)).toEqual({ logging: {}, tools: {} });
  });

  test.each<[Partial<OfferedCapabilities>, Record<string, unknown>]>([
    [{ tasks: true }, { extensions: { "io.modelcontextprotocol/tasks": {} } }],
    [
      { skills: true },
      { extensions: { "io.modelcontextprotocol/skills": { directoryRead: true } } },
    ],
    [{ resources: { listChanged: false } }, { resources: { subscribe: true } }],
    [{ prompts: { listChanged: false } }, { prompts: {} }],
  ])("%j", (offered, expected) => {
    expect(encodeCapabilities({ ...nothing, ...offered }, "2026-07-28")).toEqual({
      logging: {},
      tools: {},
      ...expected,
    });
  });
});
