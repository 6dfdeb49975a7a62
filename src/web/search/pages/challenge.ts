import type { EngineAnswer, EngineResponse } from "../engine.ts";
import { blocked } from "./answers.ts";
import type { Page } from "./page.ts";

/** Cloudflare's challenge, confirmed by the Ecosia capture of 2026-06; its error pages name their code. */
const cloudflareSelector = [
  '[class*="cf-chl"]',
  '[id*="cf-chl"]',
  '[action*="__cf_chl"]',
  'script[src*="/challenge-platform/"]',
  'input[name="cf-turnstile-response"]',
].join(", ");
const cloudflareTitle = /^Just a moment\.\.\.$/;
const cloudflareError = /^(?:Error code:? ?|Error )?1020$/i;
const cloudflareScript = /\b_cf_chl_opt\b|\/challenge-platform\//;

/** Widgets of the services that ask for a proof of being human, and what sites call their own. */
const captchaSelector = [
  ".g-recaptcha",
  ".h-captcha",
  'script[src*="/recaptcha/"]',
  'iframe[src*="/recaptcha/"]',
  'script[src*="hcaptcha.com"]',
  'script[src*="captcha-delivery.com"]',
  'iframe[src*="captcha-delivery.com"]',
  '[id*="captcha" i]',
  '[class*="captcha" i]',
  'form[action*="captcha" i]',
  'script[src*="captcha" i]',
].join(", ");

/** What any site may answer a suspected bot with: Cloudflare's challenge, a captcha. Only for pages without results. */
export function challengeOf(page: Page, { headers }: EngineResponse): EngineAnswer | undefined {
  if (headers["cf-mitigated"] === "challenge" || isCloudflare(page)) return blocked("cloudflare");
  return page.has(captchaSelector) ? blocked("captcha") : undefined;
}

function isCloudflare(page: Page): boolean {
  return (
    cloudflareTitle.test(page.title) ||
    page.has(cloudflareSelector) ||
    page.all(".cf-error-code, #cf-error-details, .cf-error-details").some((element) => {
      return cloudflareError.test(page.text(element)) || /\b1020\b/.test(page.text(element));
    }) ||
    page.scripts().some((script) => cloudflareScript.test(script))
  );
}
