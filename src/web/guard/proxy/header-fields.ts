/** Name as it was sent, and value without the blanks around it. */
export type HeaderField = readonly [name: string, value: string];

/** Of one connection only, never forwarded (RFC 9110 section 7.6.1), and what `Connection` names besides. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
]);

/**
 * The fields of a head without its first line. Undefined when a line is not `name: value`, has a blank before the
 * colon, goes on from the line before, or has a control character: what two readers could take differently.
 */
export function parseFields(lines: readonly string[]): HeaderField[] | undefined {
  const fields: HeaderField[] = [];
  for (const line of lines) {
    const match = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*)$/.exec(line);
    const [, name, value] = match ?? [];
    if (name === undefined || value === undefined) return undefined;
    // oxlint-disable-next-line no-control-regex -- the pattern is for control characters
    if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) return undefined;
    fields.push([name, value.trimEnd()]);
  }
  return fields;
}

/** All values of a field, each element of a list apart, in lower case. */
export function elementsOf(fields: readonly HeaderField[], name: string): string[] {
  return fields
    .filter(([other]) => other.toLowerCase() === name)
    .flatMap(([, value]) => value.split(","))
    .map((element) => element.trim().toLowerCase());
}

/** The part of `fields` that is forwarded. */
export function endToEnd(fields: readonly HeaderField[]): HeaderField[] {
  const named = new Set(elementsOf(fields, "connection"));
  // How the body is framed belongs to the message: naming it here would take it apart.
  for (const framing of ["content-length", "transfer-encoding", "host"]) named.delete(framing);
  return fields.filter(([name]) => {
    const lower = name.toLowerCase();
    return !hopByHop.has(lower) && !named.has(lower);
  });
}

export function headText(firstLine: string, fields: readonly HeaderField[]): Buffer {
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${firstLine}\r\n${lines.join("")}\r\n`, "latin1");
}
