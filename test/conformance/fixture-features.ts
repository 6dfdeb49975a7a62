import type { ServerFeatures } from "../../src/calls/features.ts";
import {
  ServerContext,
  type ServerContextOptions,
} from "../../src/server/context/server-context.ts";
import { createFixturePrompts, fixtureCompletion } from "./fixture-prompts.ts";
import { createFixtureResources } from "./fixture-resources.ts";
import { FixtureToolProvider } from "./fixture-tool-provider.ts";
import { fixtureSkills } from "./fixture-skills.ts";
import { FixtureState } from "./fixture-state.ts";

/** Everything that the conformance suite wants to see of a server. Nothing of it is in the product. */
export function createFixtureFeatures(): ServerFeatures {
  const state = new FixtureState();
  return {
    tools: new FixtureToolProvider(state),
    resources: createFixtureResources(state),
    prompts: createFixturePrompts(state),
    completion: fixtureCompletion,
    skills: fixtureSkills,
    changes: state.changes,
    changing: new Set(["tools", "prompts", "resources"]),
  };
}

/** The fixture on the core of the product, with a secret of its own. */
export function createFixtureContext(stateKey?: ServerContextOptions["stateKey"]): ServerContext {
  const key = crypto.getRandomValues(new Uint8Array(32));
  return new ServerContext({
    features: createFixtureFeatures(),
    instructions: "Tools, prompts and resources for testing the protocol core.",
    stateKey: stateKey ?? (() => Promise.resolve(key)),
  });
}

/** The fixture cuts nothing and hands nothing over. */
export const fixtureLimits = { answerMs: 0, resultCharsMax: 1_000_000 } as const;
