import { type ChildNode, isTag, isText } from "domhandler";

import type { HtmlElement } from "../dom/parse-html.ts";
import { cleanText } from "../dom/clean-text.ts";
import { byName } from "./conversion.ts";

/** Deeper formulas are read as text. */
const depthMax = 64;

const commands: Readonly<Record<string, string>> = {
  "×": "\\times",
  "÷": "\\div",
  "⋅": "\\cdot",
  "±": "\\pm",
  "∓": "\\mp",
  "≤": "\\le",
  "≥": "\\ge",
  "≠": "\\ne",
  "≈": "\\approx",
  "≡": "\\equiv",
  "∼": "\\sim",
  "∝": "\\propto",
  "→": "\\to",
  "←": "\\leftarrow",
  "⇒": "\\Rightarrow",
  "⇔": "\\Leftrightarrow",
  "↦": "\\mapsto",
  "∞": "\\infty",
  "∑": "\\sum",
  "∏": "\\prod",
  "∫": "\\int",
  "∂": "\\partial",
  "∇": "\\nabla",
  "√": "\\sqrt",
  "∈": "\\in",
  "∉": "\\notin",
  "⊂": "\\subset",
  "⊆": "\\subseteq",
  "∪": "\\cup",
  "∩": "\\cap",
  "∅": "\\emptyset",
  "∀": "\\forall",
  "∃": "\\exists",
  "¬": "\\neg",
  "∧": "\\land",
  "∨": "\\lor",
  "…": "\\ldots",
  "⋯": "\\cdots",
  "⊕": "\\oplus",
  "⊗": "\\otimes",
  α: "\\alpha",
  β: "\\beta",
  γ: "\\gamma",
  δ: "\\delta",
  ε: "\\epsilon",
  ζ: "\\zeta",
  η: "\\eta",
  θ: "\\theta",
  κ: "\\kappa",
  λ: "\\lambda",
  μ: "\\mu",
  ν: "\\nu",
  ξ: "\\xi",
  π: "\\pi",
  ρ: "\\rho",
  σ: "\\sigma",
  τ: "\\tau",
  φ: "\\phi",
  χ: "\\chi",
  ψ: "\\psi",
  ω: "\\omega",
  Γ: "\\Gamma",
  Δ: "\\Delta",
  Θ: "\\Theta",
  Λ: "\\Lambda",
  Π: "\\Pi",
  Σ: "\\Sigma",
  Φ: "\\Phi",
  Ψ: "\\Psi",
  Ω: "\\Omega",
  ℝ: "\\mathbb{R}",
  ℤ: "\\mathbb{Z}",
  ℕ: "\\mathbb{N}",
  ℂ: "\\mathbb{C}",
  ℚ: "\\mathbb{Q}",
  "{": "\\{",
  "}": "\\}",
  "%": "\\%",
  "&": "\\&",
  "#": "\\#",
};
const named = new Set([
  "sin",
  "cos",
  "tan",
  "log",
  "ln",
  "exp",
  "lim",
  "max",
  "min",
  "sup",
  "inf",
  "det",
  "gcd",
]);
const accents: ReadonlyMap<string, string> = new Map([
  ["¯", "bar"],
  ["‾", "overline"],
  ["^", "hat"],
  ["ˆ", "hat"],
  ["~", "tilde"],
  ["˜", "tilde"],
  ["→", "vec"],
  ["˙", "dot"],
  ["⏞", "overbrace"],
]);

/** TeX for MathML that carries no source of its own: fractions, roots, scripts, matrices and the usual signs. */
export function mathmlToTex(math: HtmlElement): string {
  return join(math.children, 0);
}

function join(nodes: readonly ChildNode[], depth: number): string {
  return nodes
    .map((node) => toTex(node, depth))
    .filter((tex) => tex !== "")
    .join(" ");
}

function toTex(node: ChildNode, depth: number): string {
  if (isText(node)) return symbols(cleanText(node.data).trim());
  if (!isTag(node) || depth > depthMax) return "";
  const write = writers.get(node.name);
  return write === undefined ? join(node.children, depth + 1) : write(node, depth + 1);
}

/** Writes an element; `depth` is that of its children. */
type Writer = (element: HtmlElement, depth: number) => string;

/** Elements that mean more than their content. */
const writers = byName<Writer>([
  ["mfrac", fraction],
  ["msqrt", squareRoot],
  ["mroot", root],
  ["msup", superscript],
  ["msub munder", subscript],
  ["msubsup munderover", subAndSuperscript],
  ["mover", over],
  ["mtable", matrix],
  ["mtr", matrixRow],
  ["mtext", plainText],
  ["mfenced", fenced],
  ["annotation annotation-xml mspace", nothing],
]);

/** The elements in `element`, each read once: reading one twice would double the work at each level. */
function partsOf(element: HtmlElement, depth: number): string[] {
  return element.children.filter(isTag).map((part) => toTex(part, depth));
}

function fraction(element: HtmlElement, depth: number): string {
  const [above = "", below = ""] = partsOf(element, depth);
  return `\\frac{${above}}{${below}}`;
}

function squareRoot(element: HtmlElement, depth: number): string {
  return `\\sqrt{${join(element.children, depth)}}`;
}

function root(element: HtmlElement, depth: number): string {
  const [radicand = "", degree = ""] = partsOf(element, depth);
  return `\\sqrt[${degree}]{${radicand}}`;
}

function superscript(element: HtmlElement, depth: number): string {
  const [inner = "", above = ""] = partsOf(element, depth);
  return `${base(inner)}^{${above}}`;
}

function subscript(element: HtmlElement, depth: number): string {
  const [inner = "", below = ""] = partsOf(element, depth);
  return `${base(inner)}_{${below}}`;
}

function subAndSuperscript(element: HtmlElement, depth: number): string {
  const [inner = "", below = "", above = ""] = partsOf(element, depth);
  return `${base(inner)}_{${below}}^{${above}}`;
}

function over(element: HtmlElement, depth: number): string {
  const sign = element.children.filter(isTag)[1];
  const accent = accents.get(sign === undefined ? "" : rawText(sign));
  if (accent === undefined) return superscript(element, depth);
  const [inner = ""] = partsOf(element, depth);
  return `\\${accent}{${inner}}`;
}

function matrix(element: HtmlElement, depth: number): string {
  return `\\begin{matrix} ${partsOf(element, depth).join(" \\\\ ")} \\end{matrix}`;
}

function matrixRow(element: HtmlElement, depth: number): string {
  return partsOf(element, depth).join(" & ");
}

function plainText(element: HtmlElement): string {
  return `\\text{${rawText(element)}}`;
}

function fenced(element: HtmlElement, depth: number): string {
  const { open = "(", close = ")" } = element.attribs;
  return `${open}${partsOf(element, depth).join(", ")}${close}`;
}

function nothing(): string {
  return "";
}

function base(tex: string): string {
  return tex.includes(" ") ? `{${tex}}` : tex;
}

function rawText(element: HtmlElement): string {
  return element.children
    .map((child) => (isText(child) ? cleanText(child.data) : ""))
    .join("")
    .trim();
}

function symbols(text: string): string {
  if (named.has(text)) return `\\${text}`;
  return text.replace(/[^\w\s]/gu, (sign) => commands[sign] ?? sign);
}
