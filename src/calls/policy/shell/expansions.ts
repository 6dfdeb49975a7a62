import {
  evaluated,
  holdsCommand,
  type ShellText,
  unknownName,
  Unreadable,
  WordBuilder,
} from "./shell-text.ts";

/** `"…"`, at the first quote. @throws Unreadable */
export function readDoubleQuote(text: ShellText, word: WordBuilder): void {
  word.isQuoted = true;
  text.at++;
  for (;;) {
    const plain = text.match(/[^"\\$`]+/y) ?? "";
    word.add(plain);
    text.at += plain.length;
    switch (text.char()) {
      case '"':
        text.at++;
        return;
      case "\\":
        readEscapeInQuote(text, word);
        break;
      case "$":
        readDollar(text, word, true);
        break;
      case "`":
        readBackquote(text, word, true);
        break;
      default:
        throw new Unreadable("a quote without end");
    }
  }
}

function readEscapeInQuote(text: ShellText, word: WordBuilder): void {
  const next = text.char(1);
  if (next !== "\n") word.add('$`"\\'.includes(next) ? next : `\\${next}`);
  text.at += 2;
}

/** `'…'`, at the first quote. @throws Unreadable */
export function readSingleQuote(text: ShellText, word: WordBuilder): void {
  word.isQuoted = true;
  const end = text.text.indexOf("'", text.at + 1);
  if (end < 0) throw new Unreadable("a quote without end");
  word.add(text.text.slice(text.at + 1, end));
  text.at = end + 1;
}

/** All that begins with a dollar sign. @throws Unreadable */
export function readDollar(text: ShellText, word: WordBuilder, isQuoted: boolean): void {
  switch (text.char(1)) {
    case "(":
      return readSubstitution(text, word, isQuoted);
    case "{":
      return readParameter(text, word, isQuoted);
    case "[":
      throw new Unreadable("arithmetic in $[ ]");
    case "\\":
      if (text.char(2) === "\n") throw new Unreadable("a line is continued within an expansion");
      break;
    case "'":
      if (!isQuoted) return readAnsiQuote(text, word);
      break;
    case '"':
      if (isQuoted) break;
      text.at++;
      return readDoubleQuote(text, word);
  }
  readVariable(text, word, isQuoted);
}

function addValue(word: WordBuilder, isQuoted: boolean, isList = false): void {
  if (isQuoted) word.addUnknown(isList);
  else word.addSplit();
}

function readVariable(text: ShellText, word: WordBuilder, isQuoted: boolean): void {
  const name = text.match(/\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])/y);
  text.at += name?.length ?? 1;
  if (text.startsWith("\\\n")) throw new Unreadable("a line is continued within an expansion");
  if (name === undefined) word.add("$");
  else if (name === "$HOME") word.add(text.findings.homeDir);
  else addValue(word, isQuoted, name === "$@");
}

function readSubstitution(text: ShellText, word: WordBuilder, isQuoted: boolean): void {
  if (text.char(2) === "(") {
    text.at += 3;
    text.deeper(() => readArithmetic(text, false));
  } else {
    text.at += 2;
    text.deeper(() => text.readSubstitution(text));
  }
  addValue(word, isQuoted);
}

/** `<( )` and `>( )`, at the first character. @throws Unreadable */
export function readProcessSubstitution(text: ShellText, word: WordBuilder): void {
  text.at += 2;
  text.deeper(() => text.readSubstitution(text));
  word.addUnknown(false);
}

/** To the end of `(( … ))`, which was begun. @throws Unreadable also if it may be a subshell in a subshell */
export function readArithmetic(text: ShellText, mayHaveSemicolons: boolean): void {
  const ignored = new WordBuilder();
  for (let open = 0; ;) {
    text.skip(/[\w \t\n+*/%<>=!&|^~?:,.[\]#@{}-]+/y);
    switch (text.char()) {
      case "(":
        open++;
        text.at++;
        break;
      case ")":
        if (open === 0) return text.expect("))");
        open--;
        text.at++;
        break;
      case "$":
        readDollar(text, ignored, true);
        break;
      case "`":
        readBackquote(text, ignored, true);
        break;
      case '"':
        readDoubleQuote(text, ignored);
        break;
      case ";":
        if (!mayHaveSemicolons) throw new Unreadable("arithmetic that may be a subshell");
        text.at++;
        break;
      default:
        throw new Unreadable("arithmetic without end, or with quotes");
    }
  }
}

function readParameter(text: ShellText, word: WordBuilder, isQuoted: boolean): void {
  if (text.startsWith("${HOME}")) {
    text.at += 7;
    return word.add(text.findings.homeDir);
  }
  const head = text.match(/\$\{[#!]?(?:[A-Za-z_]\w*|\d+|[@*#?$!-])/y);
  if (head === undefined) throw new Unreadable("an expansion that is not known");
  text.at += head.length;
  if (head.startsWith("${!") && text.match(/:?=/y) !== undefined) throw new Unreadable(unknownName);
  text.deeper(() => readParameterRest(text, isQuoted));
  if (text.text.endsWith("@P}", text.at)) {
    throw new Unreadable("an expansion that is expanded once more");
  }
  // `"${a[@]}"`, and `"${!a@}"`, make as many words as there are.
  const isList = head.includes("@") || text.text.charAt(text.at - 3) === "@";
  addValue(word, isQuoted, isList);
}

function readParameterRest(text: ShellText, isQuoted: boolean): void {
  const ignored = new WordBuilder();
  for (;;) {
    text.skip(/[^}\\'"$`<>]+/y);
    switch (text.char()) {
      case "}":
        text.at++;
        return;
      case "\\":
        if (text.char(1) === "\n") {
          throw new Unreadable("a line is continued within an expansion");
        }
        text.at += 2;
        break;
      case "'":
        // Whether it quotes hangs on the operator before it.
        if (isQuoted) throw new Unreadable("a quote within an expansion within quotes");
        readSingleQuote(text, ignored);
        // Subscripts and numbers are evaluated, quotes or not.
        if (holdsCommand(ignored.word.pieces.join(""))) throw new Unreadable(evaluated);
        break;
      case '"':
        readDoubleQuote(text, ignored);
        break;
      case "$":
        readDollar(text, ignored, isQuoted);
        break;
      case "`":
        readBackquote(text, ignored, isQuoted);
        break;
      case "<":
      case ">":
        if (text.char(1) === "(") throw new Unreadable("a command within an expansion");
        text.at++;
        break;
      default:
        throw new Unreadable("an expansion without end");
    }
  }
}

/** `` `…` ``, at the first backquote. @throws Unreadable */
export function readBackquote(text: ShellText, word: WordBuilder, isQuoted: boolean): void {
  const begin = text.at + 1;
  for (text.at = begin; text.char() !== "`"; text.at += text.char() === "\\" ? 2 : 1) {
    if (text.isAtEnd) throw new Unreadable("a backquote without end");
  }
  const raw = text.text.slice(begin, text.at);
  text.at++;
  // The shell takes these out before it looks for quotes.
  if (raw.includes("\\\n")) throw new Unreadable("a line is continued within backquotes");
  const inner = raw.replaceAll(isQuoted ? /\\([\\`$"])/g : /\\([\\`$])/g, "$1");
  text.readAll(text.within(inner));
  addValue(word, isQuoted);
}

const ansiLetters: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  E: "\u001b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

/** `$'…'`, at the dollar sign. @throws Unreadable */
function readAnsiQuote(text: ShellText, word: WordBuilder): void {
  text.assertBash("$' '");
  word.isQuoted = true;
  text.at += 2;
  for (;;) {
    const plain = text.match(/[^'\\]+/y) ?? "";
    word.add(plain);
    text.at += plain.length;
    if (text.isAtEnd) throw new Unreadable("a quote without end");
    if (text.char() === "'") break;
    word.add(readAnsiEscape(text));
  }
  text.at++;
}

function readAnsiEscape(text: ShellText): string {
  const letter = ansiLetters[text.char(1)];
  if (letter !== undefined) {
    text.at += 2;
    return letter;
  }
  // bash takes all digits behind the brace, whether another one follows or not.
  if (text.match(/\\x\{/y) !== undefined) throw new Unreadable("\\x{ in $' '");
  const number = text.match(/\\(?:[0-7]{1,3}|x[\dA-Fa-f]{1,2}|u[\dA-Fa-f]{1,4}|U[\dA-Fa-f]{1,8})/y);
  if (number !== undefined) {
    text.at += number.length;
    return numbered(number);
  }
  if (text.char(1) === "c") throw new Unreadable("a control character in $' '");
  const kept = text.text.slice(text.at, text.at + 2);
  text.at += 2;
  return kept;
}

function numbered(escape: string): string {
  const isHex = /^\\[xuU]/.test(escape);
  const code = isHex ? Number.parseInt(escape.slice(2), 16) : Number.parseInt(escape.slice(1), 8);
  // The shell ends the word at a NUL, and bytes above ASCII may be parts of a character.
  const isByte = !/^\\[uU]/.test(escape);
  if (code === 0 || code > 0x10ffff || (isByte && code > 0x7f)) {
    throw new Unreadable("an escape in $' ' that is not a character");
  }
  return String.fromCodePoint(code);
}
