import type { EngineAnswer, EngineResponse } from "../engine.ts";
import { blocked } from "./answers.ts";
import type { Page } from "./page.ts";

/** Cloudflare's challenge, confirmed by the Ecosia capture of 2026-06; its error pages name their code. */
const cloudflareSelector = [
  '[class*="cf-chl"]',
  '[id*="cf-chl"]',
  '[action*="__cf_chl"]',
  'script[src*="/challenge-platform/"]:not([src*="/scripts/jsd/"])',
  'input[name="cf-turnstile-response"]',
].join(", ");
const cloudflareTitle = /^Just a moment\.\.\.$/;
const cloudflareErrorSelector = ".cf-error-code, #cf-error-details, .cf-error-details";
const cloudflareError = /\b1020\b/;
/** All that there is when the client does not look like a browser. */
const cloudflareSentence = /^error code: 1020$/i;
/** `jsd` is its measurement of clients, which is in good pages as well. */
const cloudflareScript = /\b_cf_chl_opt\b|\/challenge-platform\/(?!scripts\/jsd\/)/;

/** Widgets of the services that ask for a proof of being human (`g-recaptcha`, `h-captcha`), and what sites call their own. */
const captchaSelector = [
  '[id*="captcha" i]',
  '[class*="captcha" i]',
  'form[action*="captcha" i]',
  'script[src*="captcha" i]',
  'iframe[src*="captcha" i]',
].join(", ");

/** Nothing but that: `captcha - Some Search` may be a search for the word. */
const captchaTitle = /^captcha$/i;
const captchaSentence =
  /\b(?:verify|confirm|prove)(?:ing)? (?:that )?you(?:(?:'|’)re| are) (?:a |not a )(?:human|robot|bot)\b/i;

/**
 * The answers that any site may give to a suspected bot: Cloudflare's challenge, a captcha. Only for pages without
 * results.
 */
export function challengeOf(page: Page, { headers }: EngineResponse): EngineAnswer | undefined {
  if (headers["cf-mitigated"] === "challenge" || isCloudflare(page)) return blocked("cloudflare");
  const isCaptcha =
    page.has(captchaSelector) || captchaTitle.test(page.title) || page.says(captchaSentence);
  return isCaptcha ? blocked("captcha") : undefined;
}

function isCloudflare(page: Page): boolean {
  return (
    cloudflareTitle.test(page.title) ||
    page.has(cloudflareSelector) ||
    page.says(cloudflareSentence) ||
    page.all(cloudflareErrorSelector).some((element) => cloudflareError.test(page.text(element))) ||
    page.scripts().some((script) => cloudflareScript.test(script))
  );
}
