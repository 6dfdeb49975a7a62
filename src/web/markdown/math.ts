import { isText } from "domhandler";

import { type HtmlElement, findElement } from "../dom/parse-html.ts";
import { cleanText } from "../dom/clean-text.ts";
import { attribute, hasClass, textOf } from "../dom/element.ts";
import { mathmlToTex } from "./mathml-tex.ts";

/** A formula in TeX. */
export interface Formula {
  readonly tex: string;
  /** On lines of its own. */
  readonly isDisplay: boolean;
}

const rootClass =
  /(?:^|\s)(?:katex|katex-display|mwe-math-element|MathJax_Display|math-container|math|arithmatex|tex)(?:\s|$)/;
const displayClass = /(?:^|\s)(?:katex-display|MathJax_Display|mwe-math-element-block)(?:\s|$)/;
/** Marks that typesetters leave beside the source of a formula. */
const residueClass =
  /(?:^|\s)(?:MathJax(?:_Preview|_SVG|_CHTML|_Display)?|mwe-math-fallback-image-\w+|katex-html|MJX_Assistive_MathML)(?:\s|$)/;
const delimited = /^\s*(?:\\\(([\s\S]+)\\\)|\\\[([\s\S]+)\\\]|\$\$([\s\S]+)\$\$|\$([^$]+)\$)\s*$/;
/** Longer sources are not formulas. */
const texCharsMax = 20_000;

/** The formula of an element, from any of these tools: MathML, KaTeX, MathJax, Wikipedia, Sphinx. */
export function formulaOf(element: HtmlElement): Formula | undefined {
  const { name } = element;
  if (name === "math") return fromMathml(element);
  if (name === "script") return fromScript(element);
  if (name === "mjx-container")
    return fromContainer(element, attribute(element, "display") === "true");
  if (!hasClass(element, rootClass)) return undefined;
  const text = delimited.exec(textOf(element, texCharsMax));
  if (text !== null && findElement(element, ({ name }) => name === "math") === undefined) {
    const tex = text[1] ?? text[2] ?? text[3] ?? text[4] ?? "";
    return formula(tex, text[2] !== undefined || text[3] !== undefined);
  }
  return fromContainer(element, hasClass(element, displayClass));
}

/** True for the typeset copy of a formula whose source is elsewhere. */
export function isFormulaResidue(element: HtmlElement): boolean {
  return hasClass(element, residueClass);
}

function fromContainer(element: HtmlElement, isDisplay: boolean): Formula | undefined {
  const math = findElement(element, ({ name }) => name === "math");
  const found = math === undefined ? undefined : fromMathml(math);
  return found === undefined
    ? undefined
    : { tex: found.tex, isDisplay: isDisplay || found.isDisplay };
}

function fromMathml(math: HtmlElement): Formula | undefined {
  const isDisplay = attribute(math, "display") === "block" || attribute(math, "mode") === "display";
  const annotation = findElement(
    math,
    (inner) => inner.name === "annotation" && /tex/i.test(attribute(inner, "encoding")),
  );
  const source =
    annotation === undefined ? attribute(math, "alttext") : textOf(annotation, texCharsMax);
  return formula(source.trim() === "" ? mathmlToTex(math) : source, isDisplay);
}

function fromScript(script: HtmlElement): Formula | undefined {
  const type = attribute(script, "type").toLowerCase();
  if (!type.startsWith("math/tex")) return undefined;
  const text = script.children.map((child) => (isText(child) ? child.data : "")).join("");
  return formula(cleanText(text), type.includes("mode=display"));
}

function formula(source: string, isDisplay: boolean): Formula | undefined {
  const tex = texFrom(source);
  return tex === "" || tex.length > texCharsMax ? undefined : { tex, isDisplay };
}

/** TeX on one line, without the delimiters of pages, and fit for dollar signs in Markdown. */
export function texFrom(source: string): string {
  const inner = /^\s*\{\\displaystyle\s([\s\S]*)\}\s*$/.exec(source)?.[1] ?? source;
  return inner
    .replace(/<(?=[a-z/!?])/gi, "\\lt ")
    .replace(/(?<!\\)\$/g, "\\$")
    .replace(/\s+/g, " ")
    .trim();
}
