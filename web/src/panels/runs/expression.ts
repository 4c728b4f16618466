/**
 * Expressions on the columns of the table: `val_loss < 0.3 and lr >= 1e-3`.
 *
 * A small language of its own: numbers, texts, names of columns, comparisons, arithmetic, `and`, `or`, `not`, `in`
 * and a few functions. Nothing of what is typed is ever run as code. What a row does not have passes no comparison.
 */

import { pattern } from "../../state/order";

export type Value = number | string | boolean | null;
type Getter = (row: number) => Value;

/** What is wrong with an expression, and from where to where. */
export interface Problem {
  code: "letter" | "unclosed" | "expected" | "ends" | "name" | "call" | "deep";
  text: string;
  at: number;
  length: number;
}

export type Compiled = { test: (row: number) => boolean } | { problem: Problem };

/** Gives a column by the name that is typed, or undefined. */
export type Columns = (name: string) => Getter | undefined;

interface Token {
  kind: "number" | "text" | "name" | "quoted" | "mark" | "end";
  text: string;
  at: number;
  length: number;
}

const MARK = /^(<=|>=|==|!=|=~|!~|&&|\|\||[<>=~!+\-*/%(),])/;
const NUMBER = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i;
// A slash is a part of a name if a letter follows at once: val/loss is a tag, and val / loss a quotient.
const NAME = /^[\p{L}_][\p{L}\p{N}_.:@]*(?:\/[\p{L}_][\p{L}\p{N}_.:@]*)*/u;
const MOST_DEPTH = 60;

class Failure extends Error {
  constructor(readonly problem: Problem) {
    super(problem.code);
  }
}

function fail(code: Problem["code"], token: Pick<Token, "text" | "at" | "length">): never {
  throw new Failure({ code, text: token.text, at: token.at, length: token.length });
}

function tokens(source: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const rest = source.slice(at);
    const space = /^\s+/.exec(rest)?.[0].length ?? 0;
    if (space) {
      at += space;
      continue;
    }
    const [first] = rest;
    const quoted = first === '"' || first === "'" || first === "`";
    let kind: Token["kind"];
    let text: string;
    let length: number;
    if (quoted) {
      const end = rest.indexOf(first, 1);
      if (end < 0) fail("unclosed", { text: first, at, length: rest.length });
      kind = first === "`" ? "quoted" : "text";
      text = rest.slice(1, end);
      length = end + 1;
    } else {
      const [match, is] = (
        [
          [NUMBER, "number"],
          [NAME, "name"],
          [MARK, "mark"],
        ] as const
      )
        .map(([shape, one]) => [shape.exec(rest)?.[0], one] as const)
        .find(([one]) => one !== undefined) ?? [undefined, "mark" as const];
      if (match === undefined)
        fail("letter", { text: String.fromCodePoint(rest.codePointAt(0)!), at, length: 1 });
      kind = is;
      text = match;
      length = match.length;
    }
    found.push({ kind, text, at, length });
    at += length;
  }
  found.push({ kind: "end", text: "", at: source.length, length: 0 });
  return found;
}

const FUNCTIONS: Record<string, (value: Value) => Value> = {
  abs: (value) => (value === null ? null : Math.abs(Number(value))),
  log: (value) => (value === null ? null : Math.log(Number(value))),
  log10: (value) => (value === null ? null : Math.log10(Number(value))),
  sqrt: (value) => (value === null ? null : Math.sqrt(Number(value))),
  isnan: (value) => typeof value === "number" && Number.isNaN(value),
  has: (value) => value !== null,
};

const WORDS = new Set(["and", "or", "not", "in"]);
const CONSTANTS: Record<string, Value> = {
  true: true,
  false: false,
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
};

function isTrue(value: Value): boolean {
  return typeof value === "number" ? value !== 0 && !Number.isNaN(value) : Boolean(value);
}

function equal(a: Value, b: Value): boolean {
  if (a === null || b === null) return false;
  if (typeof a === typeof b) return a === b;
  if (typeof a === "boolean" || typeof b === "boolean") return String(a) === String(b);
  return Number(a) === Number(b) && String(a).trim() !== "" && String(b).trim() !== "";
}

function comparison(mark: string, left: Getter, right: Getter): Getter {
  const ordered = (holds: (a: number | string, b: number | string) => boolean): Getter => {
    return (row) => {
      const [a, b] = [left(row), right(row)];
      if (a === null || b === null) return false;
      if (typeof a === "string" && typeof b === "string") return holds(a, b);
      return holds(Number(a), Number(b));
    };
  };
  const matches = (wants: boolean): Getter => {
    let known: [text: string, shape: RegExp | null] | null = null;
    return (row) => {
      const [a, b] = [left(row), right(row)];
      if (a === null || b === null) return false;
      if (known?.[0] !== String(b)) known = [String(b), pattern(String(b))];
      return (known[1]?.test(String(a)) ?? true) === wants;
    };
  };
  switch (mark) {
    case "<":
      return ordered((a, b) => a < b);
    case "<=":
      return ordered((a, b) => a <= b);
    case ">":
      return ordered((a, b) => a > b);
    case ">=":
      return ordered((a, b) => a >= b);
    case "~":
    case "=~":
      return matches(true);
    case "!~":
      return matches(false);
    case "!=":
      return (row) => {
        const [a, b] = [left(row), right(row)];
        return a !== null && b !== null && !equal(a, b);
      };
    default:
      return (row) => equal(left(row), right(row));
  }
}

function arithmetic(mark: string, left: Getter, right: Getter): Getter {
  const of = (act: (a: number, b: number) => number): Getter => {
    return (row) => {
      const [a, b] = [left(row), right(row)];
      return a === null || b === null ? null : act(Number(a), Number(b));
    };
  };
  if (mark === "+") return of((a, b) => a + b);
  if (mark === "-") return of((a, b) => a - b);
  if (mark === "*") return of((a, b) => a * b);
  return mark === "%" ? of((a, b) => a % b) : of((a, b) => a / b);
}

const COMPARISONS = new Set(["<", "<=", ">", ">=", "=", "==", "!=", "~", "=~", "!~"]);

/** Reads an expression from its loosest operator to its tightest. */
class Parser {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly all: Token[],
    private readonly columns: Columns,
  ) {}

  whole(): Getter {
    const found = this.either();
    if (this.next.kind !== "end") fail("expected", this.next);
    return found;
  }

  private get next(): Token {
    return this.all[this.at];
  }

  private is(...texts: string[]): boolean {
    const { kind, text } = this.next;
    return (kind === "mark" || kind === "name") && texts.includes(text);
  }

  private take(...texts: string[]): boolean {
    if (!this.is(...texts)) return false;
    this.at++;
    return true;
  }

  private close(): void {
    if (!this.take(")")) fail(this.next.kind === "end" ? "ends" : "expected", this.next);
  }

  private either(): Getter {
    let left = this.both();
    while (this.take("or", "||")) {
      const [a, b] = [left, this.both()];
      left = (row) => isTrue(a(row)) || isTrue(b(row));
    }
    return left;
  }

  private both(): Getter {
    let left = this.inverse();
    while (this.take("and", "&&")) {
      const [a, b] = [left, this.inverse()];
      left = (row) => isTrue(a(row)) && isTrue(b(row));
    }
    return left;
  }

  private inverse(): Getter {
    if (!this.take("not", "!")) return this.compared();
    const inner = this.deeper(() => this.inverse());
    return (row) => !isTrue(inner(row));
  }

  /** `a < b`, `a < b <= c`, `a in (b, c)`, `a not in (b, c)`. */
  private compared(): Getter {
    let left = this.sum();
    const parts: Getter[] = [];
    for (;;) {
      const mark = this.next.text;
      if (this.next.kind === "mark" && COMPARISONS.has(mark)) {
        this.at++;
        const right = this.sum();
        parts.push(comparison(mark, left, right));
        left = right;
      } else if (this.is("in") || (this.is("not") && this.all[this.at + 1].text === "in")) {
        const wants = !this.take("not");
        this.at++;
        parts.push(this.among(left, wants));
      } else break;
    }
    if (parts.length === 0) return left;
    return parts.length === 1 ? parts[0] : (row) => parts.every((part) => isTrue(part(row)));
  }

  private among(left: Getter, wants: boolean): Getter {
    if (this.take("(")) {
      const choices = [this.either()];
      while (this.take(",")) choices.push(this.either());
      this.close();
      return (row) => left(row) !== null && choices.some((one) => equal(left(row), one(row))) === wants;
    }
    const right = this.sum();
    return (row) => {
      const [a, b] = [left(row), right(row)];
      if (a === null) return false;
      return (b !== null && String(b).split(", ").includes(String(a))) === wants;
    };
  }

  private sum(): Getter {
    let left = this.product();
    while (this.is("+", "-")) {
      const mark = this.all[this.at++].text;
      left = arithmetic(mark, left, this.product());
    }
    return left;
  }

  private product(): Getter {
    let left = this.signed();
    while (this.is("*", "/", "%")) {
      const mark = this.all[this.at++].text;
      left = arithmetic(mark, left, this.signed());
    }
    return left;
  }

  private signed(): Getter {
    if (this.take("+")) return this.deeper(() => this.signed());
    if (!this.take("-")) return this.one();
    const inner = this.deeper(() => this.signed());
    return (row) => {
      const value = inner(row);
      return value === null ? null : -Number(value);
    };
  }

  private one(): Getter {
    const token = this.next;
    this.at++;
    if (token.kind === "number") return constant(Number(token.text));
    if (token.kind === "text") return constant(token.text);
    if (token.kind === "quoted") return this.columns(token.text) ?? fail("name", token);
    if (token.kind === "end") fail("ends", token);
    if (token.text === "(") {
      const inner = this.deeper(() => this.either());
      this.close();
      return inner;
    }
    if (token.kind !== "name" || WORDS.has(token.text)) fail("expected", token);
    if (this.take("(")) return this.call(token);
    const column = this.columns(token.text);
    if (column) return column;
    if (Object.hasOwn(CONSTANTS, token.text.toLowerCase()))
      return constant(CONSTANTS[token.text.toLowerCase()]);
    return fail("name", token);
  }

  private call(token: Token): Getter {
    if (!Object.hasOwn(FUNCTIONS, token.text)) fail("call", token);
    const act = FUNCTIONS[token.text];
    const inner = this.deeper(() => this.either());
    this.close();
    return (row) => act(inner(row));
  }

  private deeper<T>(read: () => T): T {
    if (++this.depth > MOST_DEPTH) fail("deep", this.next);
    const found = read();
    this.depth--;
    return found;
  }
}

function constant(value: Value): Getter {
  return () => value;
}

export const FUNCTION_NAMES: readonly string[] = Object.keys(FUNCTIONS);

/** A test of rows, or what is wrong with the text. An empty text passes every row. */
export function compile(source: string, columns: Columns): Compiled {
  if (source.trim() === "") return { test: () => true };
  try {
    const getter = new Parser(tokens(source), columns).whole();
    return { test: (row) => isTrue(getter(row)) };
  } catch (error) {
    if (error instanceof Failure) return { problem: error.problem };
    throw error;
  }
}
