import type { RawResult } from "../engine.ts";
import type { EnginePage } from "../pages/page.ts";
import { parseLiteral } from "../pages/parse-literal.ts";
import { listAt, recordOf, textAt } from "../pages/read-json.ts";
import { plainText, webUrl } from "../pages/web-url.ts";

/** Where the page's own script gets its results from; confirmed by the captures of 2026-04. */
const dataStart = /React\.createElement\(\s*UIStartpage\.AppSerpWeb\s*,\s*(?=\{)/g;
/** The one kind of results that are neither ads nor answers. */
const resultType = "web-google";
const interstitialStart = /\bvar\s+data\s*=\s*(?=\{)/g;

/** Places where data may begin that are tried: a page has one or two. */
const startsMax = 20;

/** The results in the page's data; undefined when it has none, or other data than known. */
export async function readStartpageData(page: EnginePage): Promise<RawResult[] | undefined> {
  const mainline = listAt(
    literalAfter(page, dataStart),
    "render",
    "presenter",
    "regions",
    "mainline",
  );
  if (mainline === undefined) return undefined;
  const found: RawResult[] = [];
  for (const region of mainline.filter((part) => textAt(part, "display_type") === resultType)) {
    for (const result of listAt(region, "results") ?? []) {
      const url = webUrl(textAt(result, "clickUrl"));
      if (url === undefined) continue;
      found.push({
        title: await plainText(textAt(result, "title")),
        url,
        snippet: await plainText(textAt(result, "description")),
      });
    }
  }
  return found;
}

/** The fields of a page that posts itself again to show that somebody runs its script. */
export function startpageInterstitial(
  page: EnginePage,
): Readonly<Record<string, string>> | undefined {
  const data = recordOf(literalAfter(page, interstitialStart));
  if (data === undefined || textAt(data, "sgt") === "" || textAt(data, "query") === "") {
    return undefined;
  }
  return Object.fromEntries(Object.keys(data).map((name) => [name, textAt(data, name)]));
}

function literalAfter(page: EnginePage, start: RegExp): unknown {
  const starts = Iterator.from(page.scripts()).flatMap((script) =>
    script.matchAll(start).map(({ index, 0: text }) => ({ script, at: index + text.length })),
  );
  return starts
    .take(startsMax)
    .map(({ script, at }) => parseLiteral(script, at))
    .find((value) => value !== undefined);
}

/** Startpage's names of languages: mostly by their own names, in Latin letters. */
const languageNames: Readonly<Record<string, string>> = {
  ar: "arabic",
  bg: "bulgarian",
  cs: "czech",
  da: "dansk",
  de: "deutsch",
  el: "greek",
  en: "english",
  es: "espanol",
  et: "estonian",
  fi: "suomi",
  fr: "francais",
  hu: "hungarian",
  it: "italiano",
  ja: "nihongo",
  ko: "hangul",
  nb: "norsk",
  nl: "nederlands",
  no: "norsk",
  pl: "polski",
  pt: "portugues",
  ru: "russian",
  sv: "svenska",
  tr: "turkce",
  zh: "jiantizhongwen",
};

/** @param language ISO 639; an unknown one means English */
export function startpageLanguage(language: string): string {
  return languageNames[language] ?? "english";
}
