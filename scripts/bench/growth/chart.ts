/** A line chart on log-log, as SVG. */
export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

const width = 640;
const height = 320;
const margin = { left: 64, right: 150, top: 32, bottom: 44 };
/** Readable on a light page and on a dark one. */
const colours = ["#2f81f7", "#d29922", "#3fb950"];
const compact = new Intl.NumberFormat("en", { notation: "compact" });
const grey = "#8b949e";

/** Points at 0, which has no logarithm, are left out. */
export function chartOf(title: string, xTitle: string, lines: readonly Line[]): string {
  const drawn = lines.map(({ name, points }) => ({
    name,
    points: points.filter(([x, y]) => x > 0 && y > 0),
  }));
  const all = drawn.flatMap(({ points }) => points);
  const x = scaleOf(
    all.map(([value]) => value),
    margin.left,
    width - margin.right,
  );
  const y = scaleOf(
    all.map(([, value]) => value),
    height - margin.bottom,
    margin.top,
  );
  const parts = [
    text(margin.left, 18, title, 'font-weight="bold"'),
    text((margin.left + width - margin.right) / 2, height - 8, xTitle, 'text-anchor="middle"'),
    ...x.ticks.map((tick) => {
      const at = x.place(tick);
      const label = text(
        at,
        height - margin.bottom + 16,
        compact.format(tick),
        'text-anchor="middle"',
      );
      return `${rule(at, margin.top, at, height - margin.bottom)}${label}`;
    }),
    ...y.ticks.map((tick) => {
      const at = y.place(tick);
      const label = text(margin.left - 6, at + 4, compact.format(tick), 'text-anchor="end"');
      return `${rule(margin.left, at, width - margin.right, at)}${label}`;
    }),
    ...drawn.map(({ name, points }, index) => {
      const colour = colours[index % colours.length];
      const path = points.map(([px, py]) => `${round(x.place(px))},${round(y.place(py))}`);
      const [, lastY = 1] = points.at(-1) ?? [];
      const label = text(width - margin.right + 8, y.place(lastY) + 4, name, `fill="${colour}"`);
      return `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${path.join(" ")}"/>${label}`;
    }),
  ];
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`;
  return `${head}\n${parts.join("\n")}\n</svg>\n`;
}

interface Scale {
  readonly place: (value: number) => number;
  /** Powers of ten, the outer ones around all values. */
  readonly ticks: readonly number[];
}

function scaleOf(values: readonly number[], from: number, to: number): Scale {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const place = (value: number): number =>
    from + ((Math.log10(value) - low) / (high - low)) * (to - from);
  return { place, ticks: Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at)) };
}

function text(x: number, y: number, content: string, attributes: string): string {
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const fill = attributes.includes("fill=") ? "" : ` fill="${grey}"`;
  return `<text x="${round(x)}" y="${round(y)}"${fill} ${attributes}>${escaped}</text>`;
}

function rule(x1: number, y1: number, x2: number, y2: number): string {
  const [a, b, c, d] = [x1, y1, x2, y2].map(round);
  return `<line x1="${a}" y1="${b}" x2="${c}" y2="${d}" stroke="${grey}" stroke-opacity="0.3"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
