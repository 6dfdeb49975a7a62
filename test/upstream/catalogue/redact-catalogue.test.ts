import { expect, test } from "bun:test";

import { cleanText } from "../../../src/upstream/adapters/text-of.ts";
import { redactCatalogue } from "../../../src/upstream/catalogue/redact-catalogue.ts";
import type { ServerCatalogue } from "../../../src/upstream/connect/connection.ts";

const clean = (text: string): string => cleanText(text).replaceAll("s3cret", "***");

const catalogueWith = (secret: string, rest: Partial<ServerCatalogue> = {}): ServerCatalogue => ({
  era: "legacy",
  protocolVersion: "2025-06-18",
  serverInfo: { name: `db ${secret}`, version: `1 ${secret}`, title: secret },
  capabilities: { tools: {} },
  instructions: `Of ${secret}.`,
  tools: [
    {
      name: "query",
      title: secret,
      description: `Asks ${secret}`,
      inputSchema: {
        type: "object",
        properties: {
          description: { type: "string", description: `as ${secret}` },
          list: { anyOf: [{ title: secret }] },
        },
      },
    },
  ],
  prompts: [{ name: "p", description: secret, arguments: [{ name: "a", description: secret }] }],
  resources: [{ uri: "x:y", name: secret, description: secret }],
  templates: [{ uriTemplate: "x:{y}", name: secret, title: secret }],
  isPrivate: false,
  problems: [`a tool ${secret} was left out`],
  ...rest,
});

test("[GW-42] what a server says of itself and of what it offers has no secret of its entry", () => {
  expect(redactCatalogue(catalogueWith("s3cret"), clean)).toEqual(catalogueWith("***"));
});

test("what calls need stays as it is", () => {
  const schema = {
    type: "object",
    properties: { s3cret: { enum: ["s3cret"], default: "s3cret", pattern: "s3cret" } },
    required: ["s3cret"],
  } as const;
  const catalogue = catalogueWith("", {
    tools: [{ name: "s3cret", inputSchema: schema }],
    prompts: [{ name: "s3cret", arguments: [{ name: "s3cret" }] }],
    resources: [{ uri: "x:s3cret", name: "n" }],
    templates: [{ uriTemplate: "x:s3cret", name: "n" }],
  });
  expect(redactCatalogue(catalogue, clean)).toEqual(catalogue);
});

test("characters that nobody sees stay where no secret is: whoever judges the tool looks for them", () => {
  const catalogue = catalogueWith("\u001b[8mhidden\u200b");
  expect(redactCatalogue(catalogue, clean)).toEqual(catalogue);
});

test("a secret in pieces is found", () => {
  const { instructions } = redactCatalogue(catalogueWith("s3\u001b[0mcret"), clean);
  expect(instructions).toBe("Of ***.");
});

test("a member named __proto__ stays one", () => {
  const inputSchema = JSON.parse('{"type":"object","properties":{"__proto__":{"title":"s3cret"}}}');
  const catalogue = catalogueWith("", { tools: [{ name: "a", inputSchema }] });
  expect(JSON.stringify(redactCatalogue(catalogue, clean).tools)).toContain(
    '"properties":{"__proto__":{"title":"***"}}',
  );
});
