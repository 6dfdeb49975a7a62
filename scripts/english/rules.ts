/** A turn of phrase that docs/style.md rules out. */
export interface Rule {
  readonly name: string;
  readonly expression: RegExp;
  /** The words to write. */
  readonly instead: string;
  /** For doc comments alone. */
  readonly isForDocs?: true;
}

/** Kept narrow: a rule that is often wrong is a rule that nobody believes. */
export const rules: readonly Rule[] = [
  {
    name: "what-clause as a noun",
    expression:
      /\b(of|from|with|by|than|is|are|was|and|or|for|as) what (is|was|are|were|has|had|it|they|he|a|an|the|one|each|came|comes|may|can|goes)\b|(?<=^|[.;] )What (?!(to|if|about|else)\b)[^.?]*(?=[.]|$)/,
    instead: "name the thing: the rest, the text, the result",
  },
  {
    name: "counts",
    expression: /\bcounts?(?=[.,;:)]|$| (for|only|once|as|too|in|when|until|here|again|before)\b)/,
    instead: "is used, applies, takes effect",
  },
  {
    name: "stands, lies",
    expression: /(?<!-)\b(stands?|stood|lies|lie|lay|lain)\b(?! (for|in for|out|to|alone)\b)(?!-)/,
    instead: "is",
  },
  {
    name: "is no",
    expression:
      /(?<!\b[Tt]here |\b[Ii]f )\b(is|are|was|were|be) (no (?!(longer|more|less|way|need|\d))|none\b)/,
    instead: "is not a, must be a",
  },
  {
    name: "ours",
    expression: /\bours\b|\bof (yours|theirs)\b/,
    instead: "scorpiox-code's, your, or the name of the thing",
  },
  { name: "anew", expression: /\banew\b/i, instead: "again, restart" },
  {
    name: "other servers",
    expression: /\b([Oo]ther|[Aa]nother) (MCP )?servers?\b(?! process)/,
    instead: "MCP servers (to users), upstream servers (in the code)",
  },
  {
    name: "is told, tells of",
    expression:
      /\b(is|are|was|were|be|been|being) told\b(?! apart)|\b[Tt]ells? of\b|\b[Tt]old of\b/,
    instead: "is notified, learns, reports",
  },
  {
    name: "who as a subject",
    expression: /\b[Ww]hoever\b|\b(of|to|by|for|with|from|than) who\b|(?<=^|[.;:] )Who (?![^.]*\?)/,
    instead: "the noun: a client that, the user",
  },
  {
    name: "can be had",
    expression: /\b(to|can|could|may|might|cannot|not|must) be had\b/,
    instead: "available, fetch, get",
  },
  { name: "for ever", expression: /\bfor ever\b/, instead: "forever" },
  {
    name: "held against",
    expression: /\b(held|hold|holds|holding) (\S+ ){0,3}against\b/,
    instead: "compared with, checked against",
  },
  {
    name: "begins without its noun",
    expression: /^(Of|Those|These|They|The same|That of|As those)\b/,
    instead: "the noun: a hover shows the comment without the lines around it",
    isForDocs: true,
  },
];
