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
