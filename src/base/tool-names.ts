/** Our tools that run a command. What is said of Bash is said of all of them, since the one does what the other does. */
export const commandTools: ReadonlySet<string> = new Set(["Bash", "BackgroundBash"]);

/** The tool that finds tools of upstream servers; its definition is loaded where there are such servers. */
export const toolSearchName = "tool_search";
/** The tool that calls what `tool_search` has found. */
export const toolCallName = "tool_call";
