import type { ResourceProvider, ResourceReading } from "../../src/calls/features.ts";
import type {
  ResourceContents,
  ResourceListing,
  ResourceTemplateListing,
} from "../../src/protocol/resource-types.ts";
import { readSkillFile, skillListing } from "./fixture-skills.ts";
import { type FixtureState, watchedUri } from "./fixture-state.ts";
import { pngBase64 } from "./samples.ts";

const textUri = "test://static-text";
const binaryUri = "test://static-binary";
const templatePattern = /^test:\/\/template\/([^/]+)\/data$/;

const listings: readonly ResourceListing[] = [
  { uri: textUri, name: "Static text", description: "Never changes.", mimeType: "text/plain" },
  { uri: binaryUri, name: "Static image", description: "Never changes.", mimeType: "image/png" },
  {
    uri: watchedUri,
    name: "Watched resource",
    description: "Changes when test_trigger_resource_update is called.",
    mimeType: "text/plain",
  },
  skillListing,
];

const templates: readonly ResourceTemplateListing[] = [
  {
    uriTemplate: "test://template/{id}/data",
    name: "Data by id",
    description: "Data that is made from an id.",
    mimeType: "application/json",
  },
];

export function createFixtureResources(state: FixtureState): ResourceProvider {
  return {
    list: () => Promise.resolve(listings),
    templates: () => Promise.resolve(templates),
    read: (uri) => Promise.resolve(readingOf(contentsOf(uri, state))),
    canSubscribe: (uri) => uri === watchedUri,
  };
}

function readingOf(contents: ResourceContents | undefined): ResourceReading | undefined {
  return contents === undefined ? undefined : { contents: [contents] };
}

function contentsOf(uri: string, state: FixtureState): ResourceContents | undefined {
  switch (uri) {
    case textUri: {
      const text = "This is the content of the static text resource.";
      return { uri, mimeType: "text/plain", text };
    }
    case binaryUri:
      return { uri, mimeType: "image/png", blob: pngBase64 };
    case watchedUri:
      return { uri, mimeType: "text/plain", text: `Version ${state.watchedVersion}` };
    default:
      return readTemplate(uri) ?? readSkillFile(uri);
  }
}

function readTemplate(uri: string): ResourceContents | undefined {
  const id = templatePattern.exec(uri)?.[1];
  if (id === undefined) return undefined;
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: "application/json", text: JSON.stringify(data) };
}
