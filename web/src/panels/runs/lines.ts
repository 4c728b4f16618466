/** Two texts line by line: which lines they share, which only one of them has. */

const MOST_LINES = 3000;

/** The lines of both with "+", "-" or a space before them; null if there are too many to be compared. */
export function lineDiff(before: string, after: string): string[] | null {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let begin = 0;
  while (begin < a.length && begin < b.length && a[begin] === b[begin]) begin++;
  let end = 0;
  while (end < a.length - begin && end < b.length - begin && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const [x, y] = [a.slice(begin, a.length - end), b.slice(begin, b.length - end)];
  if (x.length > MOST_LINES || y.length > MOST_LINES) return null;
  const same = (line: string) => ` ${line}`;
  return [...a.slice(0, begin).map(same), ...middle(x, y), ...a.slice(a.length - end).map(same)];
}

/** By the longest sequence of lines that both have. */
function middle(x: readonly string[], y: readonly string[]): string[] {
  const width = y.length + 1;
  const longest = new Uint16Array((x.length + 1) * width);
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = y.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        x[i] === y[j]
          ? longest[(i + 1) * width + j + 1] + 1
          : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  const found: string[] = [];
  let [i, j] = [0, 0];
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && x[i] === y[j]) {
      found.push(` ${x[i]}`);
      i++;
      j++;
    } else if (
      j >= y.length ||
      (i < x.length && longest[(i + 1) * width + j] >= longest[i * width + j + 1])
    ) {
      found.push(`-${x[i++]}`);
    } else found.push(`+${y[j++]}`);
  }
  return found;
}

const CONTEXT = 3;

/** Only the lines that differ, and a few around them; "…" stands for the others. */
export function shortened(lines: readonly string[]): string[] {
  const keeps = new Set<number>();
  lines.forEach((line, i) => {
    if (line.startsWith(" ")) return;
    for (let near = i - CONTEXT; near <= i + CONTEXT; near++) keeps.add(near);
  });
  const found: string[] = [];
  lines.forEach((line, i) => {
    if (keeps.has(i)) found.push(line);
    else if (found.length === 0 || found[found.length - 1] !== "…") found.push("…");
  });
  return found;
}
