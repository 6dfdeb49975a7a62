import { describe, expect, test } from "bun:test";
import { AppError } from "../../../../src/base/errors.ts";
import { type EngineId, engineIds } from "../../../../src/web/search/engine.ts";
import {
  benchEngines,
  defaultEngines,
  engineOf,
  findEngine,
} from "../../../../src/web/search/engines/engines.ts";
import { createTestMemory, queryOf } from "./read-fixture.ts";

const settings = { searxngUrl: "http://127.0.0.1:8888/sub/" };
const start = (id: EngineId, text = "tide pools", more = {}) =>
  engineOf(id).start(queryOf(text, { ...settings, ...more }));

/** Addresses without what is drawn once for each process. */
const urls: readonly (readonly [EngineId, string])[] = [
  ["duckduckgo", "POST https://html.duckduckgo.com/html/"],
  ["brave", "GET https://search.brave.com/search?q=tide+pools&source=web"],
  ["startpage", "GET https://www.startpage.com/"],
  ["yahoo", "GET https://search.yahoo.com/search?p=tide+pools&iscqry="],
  [
    "bing",
    "GET https://www.bing.com/search?q=tide+pools&mkt=en-US&adlt=off&pq=tide+pools&cvid=*&FORM=PERE&filters=rcrse%3A%221%22",
  ],
  ["mojeek", "GET https://www.mojeek.com/search?q=tide+pools&safe=0"],
  [
    "google",
    "GET https://www.google.com/wml/search?q=tide+pools&sca_esv=1&hl=en&lr=&ie=utf8&oe=utf8",
  ],
  [
    "yandex",
    "GET https://yandex.com/search/site/?tmpl_version=releases&text=tide+pools&web=1&frame=1&searchid=3131712&lang=en",
  ],
  [
    "qwant",
    "GET https://api.qwant.com/v3/search/web?q=tide+pools&count=10&locale=en_US&offset=0&tgp=*&device=desktop&safesearch=0&displayed=true&llm=true",
  ],
  [
    "wikipedia",
    "GET https://en.wikipedia.org/w/api.php?action=query&list=search&srsearch=tide+pools&srlimit=5&srprop=snippet%7Ctimestamp&format=json&utf8=1",
  ],
  ["mwmbl", "GET https://api.mwmbl.org/api/v1/search/?s=tide+pools"],
  [
    "stackexchange",
    "GET https://api.stackexchange.com/2.3/search/advanced?q=tide+pools&site=stackoverflow&sort=relevance&order=desc&pagesize=10",
  ],
  [
    "hackernews",
    "GET https://hn.algolia.com/api/v1/search?query=tide+pools&tags=story&hitsPerPage=10",
  ],
  ["marginalia", "GET https://api2.marginalia-search.com/search?query=tide+pools&count=10"],
  ["ecosia", "GET https://www.ecosia.org/search?method=index&q=tide+pools"],
  ["baidu", "GET https://www.baidu.com/s?wd=tide+pools&rn=10&pn=0&tn=json"],
  [
    "searxng",
    "GET http://127.0.0.1:8888/sub/search?q=tide+pools&format=json&categories=general&language=en&safesearch=0",
  ],
];

/** What is particular to an engine among its headers. */
const headers: readonly (readonly [EngineId, Readonly<Record<string, string>>])[] = [
  [
    "duckduckgo",
    {
      "Content-Type": "application/x-www-form-urlencoded",
      Origin: "https://html.duckduckgo.com",
      Referer: "https://html.duckduckgo.com/",
      "Sec-Fetch-Site": "same-origin",
      Cookie: "kl=wt-wt",
    },
  ],
  [
    "brave",
    { Cookie: "safesearch=moderate; useLocation=0; summarizer=0; country=all; ui_lang=en-us" },
  ],
  [
    "yahoo",
    { Cookie: "sB=v=1&vm=p&fl=1&vl=lang_en&pn=10&rw=new&userset=1", "Sec-Fetch-Site": "none" },
  ],
  ["mojeek", { Cookie: "lb=en; arc=none" }],
  ["google", { Accept: "*/*", Cookie: "CONSENT=YES+" }],
  [
    "qwant",
    {
      Accept: "application/json",
      Origin: "https://www.qwant.com",
      Referer: "https://www.qwant.com/",
    },
  ],
  ["marginalia", { "API-Key": "public" }],
];

/** What a language and a region change. */
const locales: readonly (readonly [EngineId, string, string | undefined, readonly string[]])[] = [
  ["duckduckgo", "en", "US", ["kl=us-en"]],
  ["duckduckgo", "en", "GB", ["kl=uk-en"]],
  ["duckduckgo", "de", undefined, ["kl=wt-wt"]],
  ["brave", "de", "AT", ["country=at", "ui_lang=de-at"]],
  ["bing", "de", undefined, ["mkt=de-DE"]],
  ["bing", "de-AT", undefined, ["mkt=de-AT"]],
  ["bing", "no language", "?", ["mkt=en-US"]],
  ["mojeek", "de", "AT", ["lb=de", "arc=at"]],
  ["google", "de", "AT", ["hl=en", "lr=lang_de", "cr=countryAT"]],
  ["yandex", "ru", undefined, ["lang=ru"]],
  ["qwant", "de", "AT", ["locale=de_AT"]],
  ["qwant", "eo", undefined, ["locale=en_US"]],
  ["wikipedia", "de", undefined, ["https://de.wikipedia.org/"]],
  ["wikipedia", "tlh", undefined, ["https://en.wikipedia.org/"]],
  ["searxng", "de", undefined, ["language=de"]],
  ["yahoo", "de", undefined, ["vl=lang_de"]],
  ["ecosia", "de", "AT", ["de-AT,de;q=0.9,en;q=0.8"]],
  ["startpage", "de", "AT", ["languageEEEdeutsch", "search_results_regionEEEde_AT"]],
];

describe("engines", () => {
  test("have the order of docs/spec/search.md#engines, and can be found by name", () => {
    expect(defaultEngines.map(({ id }) => id)).toEqual([
      "duckduckgo",
      "brave",
      "startpage",
      "yahoo",
      "bing",
      "mojeek",
      "google",
      "yandex",
      "qwant",
      "wikipedia",
      "mwmbl",
    ]);
    // Whoever is new stands behind them.
    expect(benchEngines.slice(0, 5).map(({ id }) => id)).toEqual([
      "stackexchange",
      "hackernews",
      "marginalia",
      "ecosia",
      "baidu",
    ]);
    expect(engineIds.map((id) => findEngine(` ${id.toUpperCase()} `)?.id)).toEqual([...engineIds]);
    expect(["", "altavista", "constructor"].map(findEngine)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("have the providers and weights of docs/spec/search.md#engines", () => {
    const table = engineIds.map((id) => `${id} ${engineOf(id).provider} ${engineOf(id).weight}`);
    const contract = [
      "duckduckgo bing 1",
      "brave brave 1",
      "startpage google 1",
      "yahoo bing 0.8",
      "bing bing 0.8",
      "mojeek mojeek 0.7",
      "google google 1",
      "yandex yandex 0.6",
      "qwant bing 0.7",
      "wikipedia wikimedia 0.6",
      "mwmbl mwmbl 0.3",
      "stackexchange stackexchange 0.7",
      "hackernews hackernews 0.4",
      "marginalia marginalia 0.4",
      "ecosia google 0.5",
      "baidu baidu 0.4",
      "searxng searxng 1",
    ];
    expect(table.filter((row) => contract.includes(row))).toEqual(contract);
  });
});

describe("start()", () => {
  test.each(urls)("%s: %s", (id, expected) => {
    const { method, url } = start(id);
    const drawn = url.replace(/(cvid=)[0-9A-F]{32}/, "$1*").replace(/(tgp=)[123]\b/, "$1*");
    expect(`${method} ${drawn}`).toBe(expected);
  });

  test.each(headers)("%s sends its own headers", (id, expected) => {
    const sent = start(id).headers;
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, sent[name]]))).toEqual(
      expected,
    );
  });

  test.each(locales)("%s in %s %s", (id, language, region, parts) => {
    const request = start(id, "tide pools", { language, region });
    const sent = [request.url, request.body, ...Object.values(request.headers)].join("\n");
    const whole = `${sent}\n${decodeURIComponent(sent)}`;
    expect(parts.filter((part) => !whole.includes(part))).toEqual([]);
  });

  test("pages are asked for as a browser does", () => {
    expect(start("ecosia").headers).toEqual({
      "User-Agent": expect.stringMatching(/^Mozilla\/5\.0 \(.+\) .+ Chrome\/\d+\.0\.0\.0 Safari/),
      Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
      "Accept-Language": "en-US,en;q=0.9",
      "Accept-Encoding": "gzip, deflate",
      DNT: "1",
      "Upgrade-Insecure-Requests": "1",
      "Sec-Fetch-Dest": "document",
      "Sec-Fetch-Mode": "navigate",
      "Sec-Fetch-User": "?1",
      "Sec-Fetch-Site": "none",
    });
  });

  test("an engine has one User-Agent in a process", () => {
    const agents = (): unknown[] => engineIds.map((id) => start(id).headers["User-Agent"]);
    expect(agents()).toEqual(agents());
  });

  test.each(["wikipedia", "stackexchange", "hackernews"] as const)(
    "%s gets an honest name",
    (id) => {
      expect(start(id).headers["User-Agent"]).toMatch(
        /^scorpiox-code\/\S+( \(\+https:\/\/\S+\))?$/,
      );
    },
  );

  test("google is asked as a feature phone", () => {
    expect(start("google").headers["User-Agent"]).toMatch(/^Nokia.+MIDP-2\.0.+CLDC-1\.\d/);
  });

  test("a key of one's own goes to marginalia", () => {
    expect(start("marginalia", "x", { marginaliaKey: "mine" }).headers["API-Key"]).toBe("mine");
  });

  test("qwant sends its cookie back", () => {
    const memory = createTestMemory({ datadome: "abc~1" });
    expect(engineOf("qwant").start(queryOf("x", {}, memory)).headers["Cookie"]).toBe(
      "datadome=abc~1",
    );
  });

  test.each([
    ["datadome=abc~1; Max-Age=31536000; Domain=.qwant.com", { datadome: "abc~1" }],
    ["a=b; Path=/, datadome=x%2Fy; Secure", { datadome: "x%2Fy" }],
    ["notdatadome=abc; Path=/", {}],
    ["", {}],
  ])("qwant keeps its cookie of %p", async (cookies, kept) => {
    const memory = createTestMemory();
    const response = { status: 403, url: "", headers: { "set-cookie": cookies }, text: "" };
    await engineOf("qwant").read(response, queryOf("x", {}, memory));
    expect(memory.kept).toEqual(kept);
  });

  test("searxng without an instance is a mistake of the configuration", () => {
    expect(() => engineOf("searxng").start(queryOf("x"))).toThrow(AppError);
  });

  test.each([
    ["tide pools", "tide pools"],
    ["!g tide !pools a!", '"!g" tide "!pools" a!'],
    ['say "hello !world" !w', 'say "hello !world" "!w"'],
    ["\\first", '"\\first"'],
    ["!", "!"],
    [`${"word ".repeat(99)}last`, `${"word ".repeat(99)}last`],
    [`${"word ".repeat(99)}lastx`, `${"word ".repeat(98)}word`],
    ["x".repeat(600), "x".repeat(499)],
  ])("duckduckgo is asked %p as %p", (text, expected) => {
    expect(new URLSearchParams(start("duckduckgo", text).body).get("q")).toBe(expected);
  });

  test("duckduckgo's form has its fields in their order", () => {
    expect(start("duckduckgo").body).toBe("q=tide+pools&b=&kl=wt-wt");
  });
});
