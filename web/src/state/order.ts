/** Orders and patterns that several places need. */

const collator = new Intl.Collator("en");
const NUMBER = /(\d+(?:\.\d+)?(?:e[+-]?\d+)?)/i;

const split = new Map<string, readonly string[]>();
const MOST_SPLIT = 20_000;

/** Text and numbers in turn, beginning with text. */
function parts(text: string): readonly string[] {
  let found = split.get(text);
  if (!found) {
    if (split.size >= MOST_SPLIT) split.clear();
    found = text.split(NUMBER);
    split.set(text, found);
  }
  return found;
}

/** `a` before `b`, numbers in them by value: lr=0.001, lr=0.01, lr=0.1; run-2, run-10. */
export function naturally(a: string, b: string): number {
  const [x, y] = [parts(a), parts(b)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const order = i % 2 ? Number(x[i]) - Number(y[i]) : collator.compare(x[i], y[i]);
    if (order) return order;
  }
  return x.length - y.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** A regular expression as the user types it; while it is not one yet, the text itself is looked for. */
export function pattern(text: string): RegExp | null {
  if (text === "") return null;
  try {
    return new RegExp(text, "i");
  } catch {
    return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
  }
}

export function isPattern(text: string): boolean {
  try {
    new RegExp(text, "i");
    return true;
  } catch {
    return false;
  }
}
