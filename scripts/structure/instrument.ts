import {
  type BindingPattern,
  type BindingRestElement,
  type ParamPattern,
  parseSync,
  Visitor,
} from "oxc-parser";

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/**
 * The same program, in which every function calls `enter` of the module `recorder` first, with the number of its file and
 * what it was given. No call is the last thing that a function does: the engine would drop the caller from the stack.
 * @throws Error when the text does not parse
 */
export function instrument(path: string, text: string, file: number, recorder: string): string {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const top = program.hashbang?.end ?? 0;
  const imports = "enter as $enter, kept as $kept, named as $named";
  const head = `\nimport { ${imports} } from ${JSON.stringify(recorder)};$named(${file}, import.meta.path);\n`;
  const insertions: Insertion[] = [{ at: top, text: head }];
  const enterBlock = (body: { readonly start: number } | null, given: string): void => {
    if (body !== null) insertions.push({ at: body.start + 1, text: `$enter(${file}, ${given});` });
  };
  new Visitor({
    FunctionDeclaration: ({ body }) => enterBlock(body, "arguments"),
    FunctionExpression: ({ body }) => enterBlock(body, "arguments"),
    ArrowFunctionExpression: ({ body, params }) => {
      // It has no `arguments`.
      const given = `[${params.flatMap(namesIn).join(", ")}]`;
      if (body.type === "BlockStatement") return enterBlock(body, given);
      insertions.push({ at: body.start, text: `($enter(${file}, ${given}), $kept(` });
      insertions.push({ at: body.end, text: "))" });
    },
    ReturnStatement: ({ argument }) => {
      if (argument === null) return;
      insertions.push({ at: argument.start, text: "$kept(" });
      insertions.push({ at: argument.end, text: ")" });
    },
  }).visit(program);
  return inserted(text, insertions);
}

/** The variables that a parameter makes. */
function namesIn(pattern: ParamPattern | BindingPattern | BindingRestElement): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "AssignmentPattern":
      return namesIn(pattern.left);
    case "RestElement":
      return namesIn(pattern.argument);
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => (element === null ? [] : namesIn(element)));
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        namesIn(property.type === "RestElement" ? property : property.value),
      );
    // Only constructors have them.
    case "TSParameterProperty":
      return [];
  }
}

function inserted(text: string, insertions: readonly Insertion[]): string {
  let result = "";
  let end = 0;
  for (const { at, text: more } of insertions.toSorted((a, b) => a.at - b.at)) {
    result += text.slice(end, at) + more;
    end = at;
  }
  return result + text.slice(end);
}
