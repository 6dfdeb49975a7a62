/** A part of a text that may have references to variables (CF14). */
export type TextPart =
  | { readonly kind: "literal"; readonly text: string }
  /** `${VAR}` or `${VAR:-default}`; the default is not read yet. */
  | { readonly kind: "variable"; readonly name: string; readonly whenUnset?: string }
  /** `${keyring:NAME}`, `${input:NAME}`, `${cmd:…}`. */
  | { readonly kind: "keyring" | "input" | "cmd"; readonly name: string }
  /** Something in `${…}` that is none of these, or has no end. */
  | { readonly kind: "fault"; readonly written: string };

/** Cuts `text` into literal parts and references. `$${` is a literal `${`. Never throws; takes one pass. */
export function parseReferences(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let literal = "";
  let index = 0;
  const endLiteral = (): void => {
    if (literal !== "") parts.push({ kind: "literal", text: literal });
    literal = "";
  };
  while (index < text.length) {
    const next = text.indexOf("$", index);
    if (next === -1) break;
    literal += text.slice(index, next);
    if (text.startsWith("$${", next)) {
      literal += "${";
      index = next + 3;
    } else if (text.startsWith("${", next)) {
      endLiteral();
      const end = closingBrace(text, next + 2);
      if (end === -1) return [...parts, { kind: "fault", written: text.slice(next) }];
      parts.push(referenceOf(text.slice(next + 2, end)));
      index = end + 1;
    } else {
      literal += "$";
      index = next + 1;
    }
  }
  literal += text.slice(index);
  endLiteral();
  return parts;
}

/** The index of the brace that closes one opened before `start`; braces within are counted. */
function closingBrace(text: string, start: number): number {
  let depth = 1;
  for (let index = start; index < text.length; index++) {
    if (text[index] === "{") depth++;
    if (text[index] === "}" && --depth === 0) return index;
  }
  return -1;
}

function referenceOf(inner: string): TextPart {
  const [, form, rest] = /^(keyring|input|cmd):([^]*)$/.exec(inner) ?? [];
  if ((form === "keyring" || form === "input") && /^[\w.@/ -]{1,128}$/.test(rest ?? "")) {
    return { kind: form, name: rest ?? "" };
  }
  if (form === "cmd" && rest?.trim()) return { kind: "cmd", name: rest };
  const [, name, , whenUnset] = /^(?:env:)?([A-Za-z_][\w()]{0,127})(:-([^]*))?$/.exec(inner) ?? [];
  if (name === undefined) return { kind: "fault", written: `\${${inner}}` };
  return { kind: "variable", name, ...(whenUnset !== undefined && { whenUnset }) };
}
