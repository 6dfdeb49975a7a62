import { expect, test } from "bun:test";

import { isEnginePlace } from "../../../src/web/search/engine-list.ts";

test.each([
  "https://www.bing.com/aclick?ld=x",
  "https://www.bing.com/ck/a?!&&p=x",
  "https://cn.bing.com/search?q=x",
  "https://duckduckgo.com/y.js?ad_domain=x",
  "https://duckduckgo.com/l/?uddg=x",
  "https://html.duckduckgo.com/html/",
  "https://search.brave.com/search?q=x",
  "https://www.startpage.com/sp/search",
  "https://r.search.yahoo.com/_ylt=x/RU=y",
  "https://de.search.yahoo.com/search?p=x",
  "https://www.mojeek.com/search?q=x",
  "https://www.google.com/url?q=x",
  "https://www.google.co.uk/search?q=x",
  "https://www.google.com/aclk?x",
  "https://yandex.ru/clck/jsredir",
  "https://yandex.com/search/?text=x",
  "https://www.ecosia.org/search?q=x",
  "https://www.baidu.com/s?wd=x",
  "https://ad.doubleclick.net/x",
  "https://www.googleadservices.com/pagead/x",
])("%s is no result", (url) => expect(isEnginePlace(new URL(url))).toBe(true));

test.each([
  "https://www.bing.com/webmasters/help",
  "https://duckduckgo.com/privacy",
  "https://duckduckgo.com/duckduckgo-help-pages/",
  "https://brave.com/search/",
  "https://www.startpage.com/en/",
  "https://www.yahoo.com/news/",
  "https://www.mojeek.com/about/",
  "https://www.google.com/chrome/",
  "https://www.google.com/search/howsearchworks/",
  "https://developers.google.com/search/docs",
  "https://yandex.com/support/",
  "https://www.ecosia.org/",
  "https://notbing.com/search",
  "https://baidu.com/",
])("%s is a page like any other", (url) => expect(isEnginePlace(new URL(url))).toBe(false));
