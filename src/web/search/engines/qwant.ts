import type {
  EngineAnswer,
  EngineQuery,
  EngineRequest,
  EngineResponse,
  SearchEngine,
} from "../engine.ts";
import { blocked, failed, listed, rateLimited } from "../pages/answers.ts";
import { type EnginePage, plainText, webUrl } from "../pages/page.ts";
import { listAt, numberAt, readJson, recordOf, textAt, valueAt } from "../pages/read-json.ts";
import { cookieHeader, formOf, localeOf, pageHeaders } from "./request-headers.ts";

const site = "https://www.qwant.com";
/** `data.error_code` of its throttle. */
const throttleCode = 24;
/** The HTML site's page for plain clients; confirmed by the capture of 2026-04. */
const shellTitle = /^Service unavailable/i;
/** DataDome's cookie is good for a year; a process does not live that long. */
const cookieLifeMs = 24 * 60 * 60_000;

/** One of the groups that Qwant sorts its readers into, and stays with. */
const testGroup = String(1 + Math.floor(Math.random() * 3));

/** Qwant knows languages in some regions only; others get English results. */
const locales: ReadonlySet<string> = new Set(
  (
    "bg_BG ca_ES cs_CZ da_DK de_AT de_CH de_DE el_GR en_AU en_CA en_GB en_IE en_MY en_NZ en_US es_AR es_CL " +
    "es_CO es_ES es_MX et_EE fi_FI fr_BE fr_CA fr_CH fr_FR hu_HU it_CH it_IT ko_KR nb_NO nl_BE nl_NL pl_PL pt_PT " +
    "ro_RO sv_SE th_TH zh_CN zh_HK"
  ).split(" "),
);

export const qwant: SearchEngine = {
  id: "qwant",
  provider: "bing",
  weight: 0.7,
  domain: "qwant.com",
  start: searchRequest,
  read: async (response, query) => {
    keepCookie(response, query);
    return await readJson(response, { failure, answer, wall });
  },
};

function searchRequest({ text, settings, memory }: EngineQuery): EngineRequest {
  const { language, region } = localeOf(settings);
  const locale = `${language}_${region}`;
  const cookie = memory.get("datadome");
  // The order of the parameters is looked at.
  const fields = {
    q: text,
    count: "10",
    locale: locales.has(locale) ? locale : "en_US",
    offset: "0",
    tgp: testGroup,
    device: "desktop",
    safesearch: "0",
    displayed: "true",
    llm: "true",
  };
  const {
    "Upgrade-Insecure-Requests": _,
    "Sec-Fetch-User": __,
    ...headers
  } = pageHeaders("qwant", settings);
  return {
    step: "search",
    method: "GET",
    url: `https://api.qwant.com/v3/search/web?${formOf(fields)}`,
    headers: {
      ...headers,
      Accept: "application/json",
      "Sec-Fetch-Dest": "empty",
      "Sec-Fetch-Mode": "cors",
      "Sec-Fetch-Site": "same-site",
      Origin: site,
      Referer: `${site}/`,
      ...(cookie === undefined ? {} : { Cookie: cookieHeader({ datadome: cookie }) }),
    },
  };
}

function keepCookie({ headers }: EngineResponse, { memory }: EngineQuery): void {
  const cookie = /(?:^|[\s,;])datadome=([^\s;,]+)/.exec(headers["set-cookie"] ?? "")?.[1];
  if (cookie !== undefined) memory.set("datadome", cookie, cookieLifeMs);
}

function failure(value: unknown): EngineAnswer | undefined {
  if (isCaptchaUrl(textAt(value, "url"))) return blocked("captcha");
  const code = numberAt(value, "data", "error_code");
  if (textAt(value, "status") !== "error" && code === undefined) return undefined;
  if (code === throttleCode) return rateLimited(`error_code ${code}`);
  const captchaUrl = textAt(value, "data", "error_data", "captchaUrl");
  return captchaUrl === "" ? failed(`error_code ${code ?? "unknown"}`) : blocked("captcha");
}

/** The site itself answers plain clients with an empty shell. */
function wall(page: EnginePage): EngineAnswer | undefined {
  return shellTitle.test(page.title) ? blocked("service unavailable", "denied") : undefined;
}

function isCaptchaUrl(text: string): boolean {
  return (URL.parse(text)?.hostname ?? "").startsWith("geo.captcha-delivery.");
}

async function answer(value: unknown): Promise<EngineAnswer | undefined> {
  if (textAt(value, "status") !== "success") return undefined;
  const result = recordOf(valueAt(value, "data", "result"));
  const mainline = listAt(result, "items", "mainline");
  if (mainline === undefined) return undefined;
  const items = mainline
    .filter((part) => textAt(part, "type") === "web")
    .flatMap((part) => listAt(part, "items") ?? []);
  return await listed(items, async (item) => ({
    title: await plainText(textAt(item, "title")),
    url: webUrl(textAt(item, "url")) ?? "",
    snippet: await plainText(textAt(item, "desc")),
  }));
}
