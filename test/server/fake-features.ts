import type {
  CompletionRequest,
  PromptProvider,
  ResourceProvider,
  ServerFeatures,
  SkillProvider,
} from "../../src/calls/features.ts";
import type { PromptListing } from "../../src/protocol/prompts.ts";
import type { ResourceListing } from "../../src/protocol/resource-types.ts";
import type { SkillEntry } from "../../src/protocol/skills.ts";

export const watched = "test://watched";

export const resource: ResourceListing = { uri: "test://a", name: "a", title: "A" };
export const prompt: PromptListing = {
  name: "greet",
  arguments: [{ name: "who", required: true }, { name: "tone" }],
};
export const skill: SkillEntry = {
  uri: "skill://a/SKILL.md",
  frontmatter: { name: "a", description: "d" },
  resources: "dynamic",
};

/** `count` resources with different URIs. */
export function manyResources(count: number): ResourceListing[] {
  return Array.from({ length: count }, (_, number) => ({ uri: `test://${number}`, name: "r" }));
}

/** What is listed may be changed while the server lives. */
export class FakeResources implements ResourceProvider {
  listed: readonly ResourceListing[] = [resource];

  list: ResourceProvider["list"] = () => Promise.resolve(this.listed);

  templates: ResourceProvider["templates"] = () =>
    Promise.resolve([{ uriTemplate: "test://{id}", name: "t" }]);

  read: ResourceProvider["read"] = (uri) => {
    if (uri === "test://empty") return Promise.resolve({ contents: [] });
    if (uri === "test://broken") return Promise.reject(new Error("disk on fire"));
    const found = this.listed.some((entry) => entry.uri === uri);
    return Promise.resolve(found ? { contents: [{ uri, text: "content" }] } : undefined);
  };

  canSubscribe: ResourceProvider["canSubscribe"] = (uri) => uri.startsWith(watched);
}

const prompts: PromptProvider = {
  list: () => Promise.resolve([prompt]),
  get: (_name, args) => {
    const text = JSON.stringify(args);
    return Promise.resolve({ messages: [{ role: "user", content: { type: "text", text } }] });
  },
};

const skills: SkillProvider = {
  list: () => Promise.resolve([skill]),
  directory: (uri) => Promise.resolve(uri === "skill://a" ? [resource] : undefined),
};

/** Remembers what it was asked, and knows the prompt only. */
export class FakeCompletion {
  readonly asked: CompletionRequest[] = [];

  complete(request: CompletionRequest): Promise<readonly string[] | undefined> {
    this.asked.push(request);
    return Promise.resolve(request.ref.kind === "prompt" ? ["one", "two"] : undefined);
  }
}

/** All that a server can offer, for `startServer()`. */
export function everyFeature(): Partial<ServerFeatures> {
  return {
    resources: new FakeResources(),
    prompts,
    completion: new FakeCompletion(),
    skills,
    changing: new Set(["tools", "prompts", "resources"]),
  };
}
