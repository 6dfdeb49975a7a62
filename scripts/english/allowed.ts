/** Phrases that the rules leave alone, and why. Keep it short: most findings are better rewritten. */
export const allowed: Readonly<Record<string, string>> = {};
