import { type ChildNode, isTag, isText } from "domhandler";

import type { HtmlElement } from "../dom/parse-html.ts";
import { cleanText } from "../dom/clean-text.ts";

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
const accents: Readonly<Record<string, string>> = {
  "¯": "bar",
  "‾": "overline",
  "^": "hat",
  ˆ: "hat",
  "~": "tilde",
  "˜": "tilde",
  "→": "vec",
  "˙": "dot",
  "⏞": "overbrace",
};

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
  const parts = node.children.filter(isTag);
  // Read when asked for: reading a part twice would double the work at each level.
  const part = (index: number): string => {
    const element = parts[index];
    return element === undefined ? "" : toTex(element, depth + 1);
  };
  switch (node.name) {
    case "mfrac":
      return `\\frac{${part(0)}}{${part(1)}}`;
    case "msqrt":
      return `\\sqrt{${join(node.children, depth + 1)}}`;
    case "mroot":
      return `\\sqrt[${part(1)}]{${part(0)}}`;
    case "msup":
      return `${base(part(0))}^{${part(1)}}`;
    case "msub":
    case "munder":
      return `${base(part(0))}_{${part(1)}}`;
    case "msubsup":
    case "munderover":
      return `${base(part(0))}_{${part(1)}}^{${part(2)}}`;
    case "mover": {
      const accent = accents[parts[1] === undefined ? "" : rawText(parts[1])];
      return accent === undefined ? `${base(part(0))}^{${part(1)}}` : `\\${accent}{${part(0)}}`;
    }
    case "mtable":
      return `\\begin{matrix} ${parts.map((row) => toTex(row, depth + 1)).join(" \\\\ ")} \\end{matrix}`;
    case "mtr":
      return parts.map((cell) => toTex(cell, depth + 1)).join(" & ");
    case "mtext":
      return `\\text{${rawText(node)}}`;
    case "mfenced":
      return `${node.attribs["open"] ?? "("}${parts.map((part) => toTex(part, depth + 1)).join(", ")}${node.attribs["close"] ?? ")"}`;
    case "annotation":
    case "annotation-xml":
    case "mspace":
      return "";
    default:
      return join(node.children, depth + 1);
  }
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
