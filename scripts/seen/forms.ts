/** A tool of the forms server: its listing, and the one result that it gives. */
export interface Form {
  readonly tool: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly result: Readonly<Record<string, unknown>>;
}

/** A red square, 8 × 8. */
export const redSquare =
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC";

const text = { type: "text", text: "TEXT-ONE" };
const second = { type: "text", text: "TEXT-TWO" };
const json = { fact: "JSON-FACT", count: 7 };
const image = { type: "image", data: redSquare, mimeType: "image/png" };
const link = {
  type: "resource_link",
  uri: "scorpiox://results/LINK-URI",
  name: "LINK-NAME",
  description: "LINK-DESCRIPTION",
  mimeType: "text/plain",
};
const embedded = {
  type: "resource",
  resource: {
    uri: "scorpiox://results/EMBEDDED-URI",
    mimeType: "text/plain",
    text: "EMBEDDED-TEXT",
  },
};
const output = {
  type: "object",
  properties: { fact: { type: "string" }, count: { type: "integer" } },
};

/** Every form: what the model gets of it is what a client's rule is read from. */
export const forms: readonly Form[] = [
  form("plain", { content: [text] }),
  form("lines", { content: [text, second] }),
  form("text_with_json", { content: [text], structuredContent: json }, output),
  form("json_unannounced", { content: [text], structuredContent: json }),
  form("texts_with_json", { content: [text, second], structuredContent: json }, output),
  form("bare", { content: [], structuredContent: json }, output),
  form("failed", { content: [text], isError: true }),
  form("failed_lines", { content: [text, second], isError: true }),
  form("failed_with_json", { content: [text], structuredContent: json, isError: true }, output),
  form("failed_owing_json", { content: [text], isError: true }, output),
  form("picture", { content: [text, image] }),
  form("picture_with_json", { content: [text, image], structuredContent: json }, output),
  form("failed_pictured", { content: [text, image], isError: true }),
  form("link", { content: [text, link] }),
  form("link_with_json", { content: [text, link], structuredContent: json }, output),
  form("failed_linked", { content: [text, link], isError: true }),
  form("embedded", { content: [text, embedded] }),
  form("empty", { content: [] }),
];

function form(name: string, result: object, outputSchema?: object): Form {
  return {
    tool: {
      name,
      description: `Gives a result of the form ${name}.`,
      inputSchema: { type: "object", properties: {} },
      ...(outputSchema === undefined ? {} : { outputSchema }),
      annotations: { readOnlyHint: true },
    },
    result: { isError: false, ...result },
  };
}
