import { join } from "node:path";

import type { CallPlace, RealCall } from "./upstreams-calls.ts";

type Row = readonly [tool: string, args?: Readonly<Record<string, unknown>>, says?: string];

const rows = (...all: readonly Row[]): readonly RealCall[] =>
  all.map(([tool, args = {}, says]) => ({ tool, args, ...(says === undefined ? {} : { says }) }));

/** What is refused is refused by the server itself. */
const mayFail = (call: RealCall): RealCall => ({ ...call, mayFail: true });

/** A page with something for each kind of input. */
export const pageHtml = `<!doctype html><title>Trial</title><h1>Trial page</h1>
<form><input id="name" aria-label="Name"><select id="drink"><option>tea</option><option>milk</option></select>
<button type="button" id="go" onclick="this.textContent='Went'">Go</button></form>
<div id="from" draggable="true">from</div><div id="to">to</div><script>console.log("loaded");to.ondragover=to.ondrop=(e)=>e.preventDefault()</script>`;

/** Of a browser. */
export const playwrightCalls = ({ page }: CallPlace): readonly RealCall[] => [
  ...rows(
    ["browser_navigate", { url: page }, "Trial"],
    ["browser_snapshot", {}, "Trial page"],
    ["browser_resize", { width: 800, height: 600 }],
    ["browser_console_messages", { level: "info" }, "loaded"],
    ["browser_evaluate", { function: "() => 6 * 7" }, "42"],
    ["browser_find", { text: "Trial" }, "Trial"],
    ["browser_click", { target: "#go", element: "Go" }],
    ["browser_hover", { target: "#go", element: "Go" }],
    ["browser_type", { target: "#name", element: "Name", text: "Ada" }],
    [
      "browser_fill_form",
      { fields: [{ target: "#name", name: "Name", type: "textbox", value: "Al" }] },
    ],
    ["browser_select_option", { target: "#drink", element: "Drink", values: ["milk"] }],
    ["browser_press_key", { key: "Tab" }],
    [
      "browser_drag",
      { startTarget: "#from", endTarget: "#to", startElement: "a", endElement: "b" },
    ],
    ["browser_drop", { target: "#to", element: "to", data: { "text/plain": "hello" } }],
    ["browser_emulate_media", { colorScheme: "dark" }],
    ["browser_network_requests", { static: true }],
    ["browser_network_request", { index: 1 }],
    ["browser_run_code_unsafe", { code: "async (page) => page.title()" }, "Trial"],
    ["browser_take_screenshot", { scale: "css" }, '"type":"image"'],
    ["browser_wait_for", { time: 0.1 }],
    ["browser_tabs", { action: "list" }, "Trial"],
  ),
  ...rows(
    ["browser_handle_dialog", { accept: true }],
    ["browser_file_upload", {}],
    ["browser_navigate_back"],
  ).map(mayFail),
  ...rows(["browser_close"]),
];

/** Of a server that works with files and processes. */
export const commanderCalls = ({ folder, said }: CallPlace): readonly RealCall[] => {
  const at = (...names: string[]): string => join(folder, ...names);
  const pid = (): number => Number(/PID (\d+)/.exec(said("start_process"))?.[1] ?? 0);
  const sessionId = (): string => /(search_[0-9_]+)/.exec(said("start_search"))?.[1] ?? "";
  return [
    ...rows(
      ["get_config", {}, "telemetryEnabled"],
      ["set_config_value", { key: "fileReadLineLimit", value: 900 }],
      ["create_directory", { path: at("dc") }],
      ["write_file", { path: at("dc", "a.txt"), content: "one\n", mode: "rewrite" }],
      ["read_file", { path: at("dc", "a.txt") }, "one"],
      ["read_multiple_files", { paths: [at("dc", "a.txt")] }, "one"],
      ["edit_block", { file_path: at("dc", "a.txt"), old_string: "one", new_string: "two" }],
      ["list_directory", { path: at("dc") }, "a.txt"],
      ["get_file_info", { path: at("dc", "a.txt") }, "size"],
      ["move_file", { source: at("dc", "a.txt"), destination: at("dc", "b.txt") }],
      ["start_search", { path: at("dc"), pattern: "b.txt", searchType: "files" }],
      ["list_searches"],
      ["start_process", { command: "cat", timeout_ms: 500 }, "PID"],
      ["list_sessions"],
      ["list_processes"],
      ["get_usage_stats"],
      ["get_recent_tool_calls", { maxResults: 2 }],
    ),
    // What the first calls said is known when these are made.
    later("get_more_search_results", () => ({ sessionId: sessionId() })),
    later("stop_search", () => ({ sessionId: sessionId() })),
    later("interact_with_process", () => ({ pid: pid(), input: "hello", timeout_ms: 1000 })),
    later("read_process_output", () => ({ pid: pid(), timeout_ms: 500 })),
    later("force_terminate", () => ({ pid: pid() })),
    ...rows(
      ["kill_process", { pid: 2 ** 22 + 1 }],
      ["write_pdf", { path: at("dc", "a.pdf"), content: "# hello" }],
      ["get_prompts", { action: "get_prompt", promptId: "onb2_01" }],
    ).map(mayFail),
  ];
};

function later(tool: string, args: () => Readonly<Record<string, unknown>>): RealCall {
  return {
    tool,
    get args() {
      return args();
    },
    mayFail: true,
  };
}
