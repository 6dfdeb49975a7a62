import { pause } from "./pause.ts";
import {
  contentResult,
  errorResult,
  type FixtureTool,
  noArguments,
  textResult,
} from "./fixture-tool.ts";
import { pngBase64, wavBase64 } from "./samples.ts";

/** Between two messages or steps of one call. */
const stepMs = 50;
/** How long a call goes on after its stream was closed: the client must come back for its result. */
const reconnectionMs = 100;

const image = { type: "image", data: pngBase64, mimeType: "image/png" } as const;

const simpleText: FixtureTool = {
  listing: {
    name: "test_simple_text",
    description: "Answers with a fixed text.",
    inputSchema: noArguments,
  },
  answer: () => textResult("This is a simple text response for testing."),
};

const imageContent: FixtureTool = {
  listing: {
    name: "test_image_content",
    description: "Answers with an image.",
    inputSchema: noArguments,
  },
  answer: () => contentResult(image),
};

const audioContent: FixtureTool = {
  listing: {
    name: "test_audio_content",
    description: "Answers with a sound.",
    inputSchema: noArguments,
  },
  answer: () => contentResult({ type: "audio", data: wavBase64, mimeType: "audio/wav" }),
};

const embeddedResource: FixtureTool = {
  listing: {
    name: "test_embedded_resource",
    description: "Answers with the content of a resource.",
    inputSchema: noArguments,
  },
  answer: () =>
    contentResult({
      type: "resource",
      resource: {
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content.",
      },
    }),
};

const multipleContentTypes: FixtureTool = {
  listing: {
    name: "test_multiple_content_types",
    description: "Answers with a text, an image and a resource.",
    inputSchema: noArguments,
  },
  answer: () =>
    contentResult({ type: "text", text: "Multiple content types test:" }, image, {
      type: "resource",
      resource: {
        uri: "test://mixed-content-resource",
        mimeType: "application/json",
        text: JSON.stringify({ test: "data", value: 123 }),
      },
    }),
};

const toolWithLogging: FixtureTool = {
  listing: {
    name: "test_tool_with_logging",
    description: "Sends three log messages while it runs.",
    inputSchema: noArguments,
  },
  async answer(call) {
    call.log?.("info", "Tool execution started");
    await pause(stepMs, call.cancellation);
    call.log?.("info", "Tool processing data");
    await pause(stepMs, call.cancellation);
    call.log?.("info", "Tool execution completed");
    return textResult("Three messages were logged.");
  },
};

const toolWithProgress: FixtureTool = {
  listing: {
    name: "test_tool_with_progress",
    description: "Reports progress in three steps.",
    inputSchema: noArguments,
  },
  async answer(call) {
    call.onProgress?.({ progress: 0, total: 100 });
    await pause(stepMs, call.cancellation);
    call.onProgress?.({ progress: 50, total: 100 });
    await pause(stepMs, call.cancellation);
    call.onProgress?.({ progress: 100, total: 100 });
    return textResult("All three steps are done.");
  },
};

const errorHandling: FixtureTool = {
  listing: { name: "test_error_handling", description: "Always fails.", inputSchema: noArguments },
  answer: () => errorResult("This tool intentionally returns an error for testing"),
};

const reconnection: FixtureTool = {
  listing: {
    name: "test_reconnection",
    description: "Closes the stream of its call before it answers, where that is possible.",
    inputSchema: noArguments,
  },
  async answer(call) {
    call.closeStream?.();
    await pause(reconnectionMs, call.cancellation);
    return textResult("The client came back for this.");
  },
};

const streamWithoutRequests: FixtureTool = {
  listing: {
    name: "test_streaming_elicitation",
    description: "Answers without asking anything of the client.",
    inputSchema: noArguments,
  },
  answer: () => textResult("Nothing was asked."),
};

const loggingTool: FixtureTool = {
  listing: {
    name: "test_logging_tool",
    description: "Logs one message.",
    inputSchema: noArguments,
  },
  answer(call) {
    call.log?.("info", "A message of test_logging_tool", "fixture");
    return textResult("One message was logged, for those who asked for it.");
  },
};

/** What a call answers, without asking anybody anything. */
export const contentTools: readonly FixtureTool[] = [
  simpleText,
  imageContent,
  audioContent,
  embeddedResource,
  multipleContentTypes,
  toolWithLogging,
  toolWithProgress,
  errorHandling,
  reconnection,
  streamWithoutRequests,
  loggingTool,
];
