import type { RequestContext } from "../../src/calls/call.ts";
import type { CompletionProvider, PromptProvider } from "../../src/calls/features.ts";
import type { PromptListing, PromptMessage } from "../../src/protocol/prompts.ts";
import type { ContentBlock } from "../../src/protocol/tool-types.ts";
import { contentOf, form } from "./fixture-forms.ts";
import { appearingPrompt, type FixtureState } from "./fixture-state.ts";
import { askOf } from "./fixture-tool.ts";
import { pngBase64 } from "./samples.ts";

type PromptArguments = Readonly<Record<string, string>>;

interface FixturePrompt {
  readonly listing: PromptListing;
  messages(
    args: PromptArguments,
    context: RequestContext,
  ): readonly PromptMessage[] | Promise<readonly PromptMessage[]>;
}

const simple: FixturePrompt = {
  listing: { name: "test_simple_prompt", description: "One fixed message." },
  messages: () => [text("This is a simple prompt for testing.")],
};

const withArguments: FixturePrompt = {
  listing: {
    name: "test_prompt_with_arguments",
    description: "One message with both arguments in it.",
    arguments: [
      { name: "arg1", description: "Any text", required: true },
      { name: "arg2", description: "Any text", required: true },
    ],
  },
  messages: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
};

const withEmbeddedResource: FixturePrompt = {
  listing: {
    name: "test_prompt_with_embedded_resource",
    description: "A resource and what to do with it.",
    arguments: [{ name: "resourceUri", description: "URI of the resource", required: true }],
  },
  messages: ({ resourceUri = "" }) => [
    user({
      type: "resource",
      resource: {
        uri: resourceUri,
        mimeType: "text/plain",
        text: "Embedded resource content for testing.",
      },
    }),
    text("Please process the embedded resource above."),
  ],
};

const withImage: FixturePrompt = {
  listing: { name: "test_prompt_with_image", description: "An image and what to do with it." },
  messages: () => [
    user({ type: "image", data: pngBase64, mimeType: "image/png" }),
    text("Please analyze the image above."),
  ],
};

const askingPrompt: FixturePrompt = {
  listing: {
    name: "test_input_required_result_prompt",
    description: "Asks the user before it is complete.",
  },
  async messages(_args, context) {
    const question = form("What context should the prompt use?", { context: { type: "string" } });
    const responses = await askOf(context).ask({ user_context: question });
    return [text(`Use this context: ${String(contentOf(responses, "user_context").context)}`)];
  },
};

const appearing: FixturePrompt = {
  listing: { name: appearingPrompt, description: "Is listed after every other change." },
  messages: () => [text("Here for now.")],
};

const lasting = [simple, withArguments, withEmbeddedResource, withImage, askingPrompt];

export function createFixturePrompts(state: FixtureState): PromptProvider {
  const offered = (): readonly FixturePrompt[] =>
    state.hasAppearingPrompt ? [...lasting, appearing] : lasting;
  return {
    list: () => Promise.resolve(offered().map(({ listing }) => listing)),
    async get(name, args, context) {
      const prompt = offered().find(({ listing }) => listing.name === name);
      return { messages: (await prompt?.messages(args, context)) ?? [] };
    },
  };
}

const words: readonly string[] = ["paper", "park", "party", "test"];

/** Completes the arguments of every prompt from the same few words. */
export const fixtureCompletion: CompletionProvider = {
  complete({ ref, typed }) {
    const isKnown =
      ref.kind === "resource" || lasting.some(({ listing }) => listing.name === ref.name);
    const fitting = words.filter((word) => word.startsWith(typed));
    return Promise.resolve(isKnown ? fitting : undefined);
  },
};

function user(content: ContentBlock): PromptMessage {
  return { role: "user", content };
}

function text(value: string): PromptMessage {
  return user({ type: "text", text: value });
}
