import type { EngineSettings } from "../engine.ts";

/** Where and in what language to search, in the spellings of engines. */
export interface SearchLocale {
  /** Two or three letters, lower case. */
  readonly language: string;
  /** Two letters, upper case: the one that was chosen, else where the language is most spoken. */
  readonly region: string;
  /** Undefined = everywhere. */
  readonly chosenRegion: string | undefined;
}

/** Reads the settings; an invalid language or region means English and everywhere. */
export function localeOf({ language, region }: EngineSettings): SearchLocale {
  const locale = parseLocale(language) ?? new Intl.Locale("en-US");
  const chosen = region ?? locale.region;
  const chosenRegion =
    chosen !== undefined && /^[a-z]{2}$/i.test(chosen) ? chosen.toUpperCase() : undefined;
  return {
    language: locale.language,
    region: chosenRegion ?? locale.maximize().region ?? "US",
    chosenRegion,
  };
}

function parseLocale(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag);
  } catch {
    return undefined;
  }
}

/** `en-US,en;q=0.9`, and English after any other language. */
export function acceptLanguage(settings: EngineSettings): string {
  const { language, region } = localeOf(settings);
  const own = `${language}-${region},${language};q=0.9`;
  return language === "en" ? own : `${own},en;q=0.8`;
}
