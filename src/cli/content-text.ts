/** The content of a tool's result as text; what is not text is named in brackets. */
export function contentText(result: unknown): string {
  const content = fieldOf(result, "content");
  return Array.isArray(content) ? content.map(blockText).join("\n") : "";
}

function blockText(block: unknown): string {
  switch (fieldOf(block, "type")) {
    case "text":
      return textField(block, "text");
    case "image":
    case "audio":
      return `[${textField(block, "mimeType")}, ${base64Bytes(textField(block, "data"))} bytes]`;
    case "resource_link":
      return `[${textField(block, "uri")}]`;
    case "resource":
      return resourceText(fieldOf(block, "resource"));
    default:
      return "[content of an unknown kind]";
  }
}

function resourceText(resource: unknown): string {
  const text = fieldOf(resource, "text");
  return typeof text === "string" ? text : `[${textField(resource, "uri")}]`;
}

function base64Bytes(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return (data.length / 4) * 3 - padding;
}

function textField(value: unknown, name: string): string {
  const field = fieldOf(value, name);
  return typeof field === "string" ? field : "";
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}
