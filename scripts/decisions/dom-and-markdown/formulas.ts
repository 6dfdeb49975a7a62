/** A formula in MathML, and the TeX that says the same; several where there are several ways to write it. */
interface Formula {
  readonly mathml: string;
  readonly tex: string | readonly string[];
}

interface FormulaWay {
  readonly name: string;
  readonly code: readonly string[];
  readonly library: readonly string[];
  readonly load: () => Promise<(mathml: string) => string>;
}

function formula(inner: string, ...tex: string[]): Formula {
  return { mathml: `<math>${inner}</math>`, tex };
}

/** The forms that documentation, Wikipedia and papers use. */
export const formulas: readonly Formula[] = [
  formula("<mfrac><mi>a</mi><mi>b</mi></mfrac>", "\\frac{a}{b}"),
  formula("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>", "\\sqrt{x+1}"),
  formula("<mroot><mi>x</mi><mn>3</mn></mroot>", "\\sqrt[3]{x}"),
  formula("<msup><mi>e</mi><mi>x</mi></msup>", "e^{x}"),
  formula("<msub><mi>a</mi><mi>i</mi></msub>", "a_{i}"),
  formula("<msubsup><mi>a</mi><mi>i</mi><mn>2</mn></msubsup>", "a_{i}^{2}"),
  formula(
    "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>",
    "\\sum_{i=1}^{n}",
  ),
  formula("<mi>α</mi><mo>≤</mo><mi>β</mi>", "\\alpha\\le\\beta", "\\alpha\\leq\\beta"),
  formula("<mi>sin</mi><mi>x</mi>", "\\sin x"),
  formula("<mover><mi>v</mi><mo>→</mo></mover>", "\\vec{v}", "\\overset{\\rightarrow}{v}"),
  formula("<mover><mi>x</mi><mo>¯</mo></mover>", "\\bar{x}", "\\overline{x}"),
  formula("<mover><mi>x</mi><mo>^</mo></mover>", "\\hat{x}"),
  formula("<mi>x</mi><mo>∈</mo><mi>ℝ</mi>", "x\\in\\mathbb{R}"),
  formula("<mi>A</mi><mo>∪</mo><mi>B</mi><mo>⊆</mo><mi>C</mi>", "A\\cup B\\subseteq C"),
  formula("<mtext>if</mtext><mi>x</mi>", "\\text{if}x"),
  formula(
    "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable>",
    "\\begin{matrix}a&b\\\\c&d\\end{matrix}",
  ),
  formula("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a,b)", "\\left(a,b\\right)"),
  formula(
    "<semantics><mi>x</mi><annotation encoding='text/plain'>ex</annotation></semantics>",
    "x",
  ),
  formula("<mn>50</mn><mo>%</mo>", "50\\%"),
  formula("<mi>f</mi><mo>{</mo><mi>x</mi><mo>}</mo>", "f\\{x\\}", "f\\left\\{x\\right\\}"),
  formula(
    "<mover><mi>a</mi><mtext>constructor</mtext></mover>",
    "a^{\\text{constructor}}",
    "\\overset{\\text{constructor}}{a}",
  ),
];

export const formulaWays: readonly FormulaWay[] = [
  {
    name: "our `mathml-tex.ts`",
    code: ["src/web/markdown/mathml-tex.ts"],
    library: [],
    async load() {
      const { parseHtml } = await import("../../../src/web/dom/parse-html.ts");
      const { findElement } = await import("../../../src/web/dom/parse-html.ts");
      const { mathmlToTex } = await import("../../../src/web/markdown/mathml-tex.ts");
      return (mathml) => {
        const math = findElement(parseHtml(mathml), ({ name }) => name === "math");
        if (math === undefined) throw new Error("There is no formula.");
        return mathmlToTex(math);
      };
    },
  },
  {
    name: "mathml-to-latex",
    code: [],
    library: ["mathml-to-latex"],
    async load() {
      const { MathMLToLaTeX } = await import("mathml-to-latex");
      return (mathml) => MathMLToLaTeX.convert(mathml);
    },
  },
];
