import { rememberedTextCharsMax, rememberedTextsMax } from "./limits.ts";

/**
 * `compute` with a cache, for few texts that recur. Bounded: when many texts
 * have been seen all are forgotten, and long ones are never kept, since they come from outside.
 * @param compute its answer depends on the text alone
 */
export function remembered<Answer>(compute: (text: string) => Answer): (text: string) => Answer {
  const known = new Map<string, { readonly answer: Answer }>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found.answer;
    const answer = compute(text);
    if (text.length > rememberedTextCharsMax) return answer;
    if (known.size >= rememberedTextsMax) known.clear();
    known.set(text, { answer });
    return answer;
  };
}
