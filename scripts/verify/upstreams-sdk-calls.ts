import { type CallPlace, type RealCall, rows } from "./upstreams-calls.ts";

type Calls = (place: CallPlace) => readonly RealCall[];

/** What the servers of both editions have. */
const sharedCalls = [
  ...rows(
    ["test_simple_text", {}, "simple text response"],
    ["test_image_content", {}, '"type":"image"'],
    ["test_audio_content", {}, '"type":"audio"'],
    ["test_embedded_resource", {}, "scorpiox://mcp/"],
    ["test_multiple_content_types", {}, '"type":"image"'],
    ["test_tool_with_logging", {}, "logging executed"],
    // Its token, which is ours.
    ["test_tool_with_progress", {}, '"type":"text"'],
    // The server ends the stream; the answer is on the one that is opened after.
    ["test_reconnection", {}, "Reconnection test completed"],
    [
      "json_schema_2020_12_tool",
      { name: "Ada", contactMethod: "phone", phone: "1" },
      "tool called with",
    ],
  ),
  { tool: "test_error_handling", args: {}, mayFail: true, says: "intentionally returns an error" },
] as const satisfies readonly RealCall[];

/** What the server asks with requests of its own. */
const pushed = (...[modelSays, userSays]: readonly [string, string]): readonly RealCall[] =>
  rows(
    ["test_sampling", { prompt: "p" }, modelSays],
    ["test_elicitation", { message: "m" }, userSays],
    ["test_elicitation_sep1034_defaults", {}, userSays],
    ["test_elicitation_sep1330_enums", {}, userSays],
  );
const answered = pushed("LLM response: Paris", "action=accept");
const impossible = pushed("not supported or error", "not supported or error");

/** What it asks in its answers; a server of the second SDK sends older clients requests instead. */
const inAnswers = rows(
  ["test_x_mcp_header", { region: "eu", level: 3 }, "region=eu"],
  ["test_missing_capability", {}, "sampling round-trip complete"],
  ["test_streaming_elicitation", {}, "stream observed"],
  ["test_logging_tool", {}, "logged through"],
  ["test_input_required_result_elicitation", {}, "Hello, Ada!"],
  ["test_input_required_result_sampling", {}, "Sampling response: Paris"],
  ["test_input_required_result_list_roots", {}, "Client exposed 1 root(s)"],
  ["test_input_required_result_request_state", {}, "state-ok"],
  ["test_input_required_result_multiple_inputs", {}, "Paris Ada — 1 root(s) visible"],
  ["test_input_required_result_multi_round", {}, "Multi-round complete: Ada likes"],
  ["test_input_required_result_tampered_state", {}, "integrity-ok"],
  ["test_trigger_tool_change", {}, "published"],
  ["test_trigger_prompt_change", {}, "published"],
);

/** Of the SDK of the older revisions. */
export const sdkV1Calls: Calls = () => [...sharedCalls, ...answered];

/** Of the SDK of 2026-07-28. */
export const sdkV2Calls: Calls = () => [
  ...sharedCalls,
  ...impossible,
  ...inAnswers,
  ...rows(["test_input_required_result_capabilities", {}, "input requests fulfilled"]),
];

/** Of the same in an older revision. */
export const sdkV2OlderCalls: Calls = () => [
  ...sharedCalls,
  ...answered,
  ...inAnswers,
  // It looks for what only a request of 2026-07-28 says of its client.
  ...rows(["test_input_required_result_capabilities", {}, "No declared client capability"]),
];
