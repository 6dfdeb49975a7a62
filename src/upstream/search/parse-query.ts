import { searchQueryCharsMax } from "../../base/upstream-limits.ts";

export interface QueryWord {
  readonly text: string;
  /** Written with a `+`: tools without it do not match. */
  readonly isRequired: boolean;
}

/** The forms in which tools can be asked for (docs/tool-search.md#what-can-be-asked). */
export type ParsedQuery =
  | { readonly kind: "words"; readonly words: readonly QueryWord[]; readonly server?: string }
  | { readonly kind: "select"; readonly names: readonly string[] }
  | { readonly kind: "pattern"; readonly source: string; readonly flags: string };

/** Whatever is no other form is words; nothing is refused here. */
export function parseQuery(query: string): ParsedQuery {
  const text = query.slice(0, searchQueryCharsMax).trim();
  const select = /^select:(.*)$/is.exec(text)?.[1];
  if (select !== undefined) return { kind: "select", names: namesOf(select) };
  const pattern = /^\/(.+)\/([a-z]*)$/s.exec(text);
  if (pattern !== null && /^[imsu]*$/.test(pattern[2] ?? "")) {
    return { kind: "pattern", source: pattern[1] ?? "", flags: pattern[2] ?? "" };
  }
  return parseWords(text);
}

function namesOf(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

function parseWords(text: string): ParsedQuery {
  let server: string | undefined;
  const words: QueryWord[] = [];
  for (const part of text.split(/\s+/).filter(Boolean)) {
    const facet = /^server:(.+)$/i.exec(part)?.[1];
    const required = /^\+(.+)$/.exec(part)?.[1];
    if (facet !== undefined) server = facet;
    else words.push({ text: required ?? part, isRequired: required !== undefined });
  }
  return { kind: "words", words, ...(server === undefined ? {} : { server }) };
}
