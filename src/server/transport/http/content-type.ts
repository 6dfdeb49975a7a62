/**
 * Whether a body is plain JSON in UTF-8: `application/json`, no other charset, no encoding on top.
 * A page may send forms and plain text anywhere without asking, so they are refused (TH7).
 */
export function isPlainJson(headers: Headers): boolean {
  const contentType = headers.get("content-type");
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") return false;
  return contentType === "application/json" || isJsonType(contentType ?? "");
}

function isJsonType(contentType: string): boolean {
  const [type = "", ...parameters] = contentType.toLowerCase().split(";");
  if (type.trim() !== "application/json") return false;
  return parameters.every((parameter) => {
    const [name = "", value = ""] = parameter.split("=");
    return name.trim() !== "charset" || /^\s*"?utf-?8"?\s*$/.test(value);
  });
}
