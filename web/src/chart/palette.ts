/** Colours of runs: safe for colour-blind eyes, and the same for a run in every panel and after a reload. */

/** After Okabe and Ito: told apart under protanopia, deuteranopia and tritanopia. The last three are the weakest. */
const LIGHT = [
  "#0072b2",
  "#d55e00",
  "#008f68",
  "#c0468c",
  "#7551c4",
  "#b57a00",
  "#2f9be0",
  "#8c3a1e",
  "#4d7c1f",
  "#5d6878",
];
const DARK = [
  "#4ba6ec",
  "#ff8b45",
  "#2ec79b",
  "#ec8cc4",
  "#b59af5",
  "#efb93a",
  "#93d2ff",
  "#dd8f72",
  "#9bc65f",
  "#aab5c4",
];
/** How many are used before the others. */
const FIRST = 7;

export const PALETTE_SIZE = LIGHT.length;

export function paletteColor(index: number, isDark: boolean): string {
  return (isDark ? DARK : LIGHT)[index % PALETTE_SIZE];
}

/** The same colour for white paper, where those of the dark theme would be pale. */
export function onPaper(color: string): string {
  return LIGHT[DARK.indexOf(color)] ?? color;
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return value >>> 0;
}

/**
 * Gives each name a place in the palette: the one its hash asks for, or, if that is taken more often than others,
 * the next of the least taken. Names that have one keep it, unless that would make it taken too often.
 */
export function assignColors(
  names: ReadonlySet<string>,
  known: ReadonlyMap<string, number>,
): Map<string, number> {
  const result = new Map<string, number>();
  const uses = new Array<number>(PALETTE_SIZE).fill(0);
  const fair = Math.ceil(names.size / PALETTE_SIZE);
  const fresh: string[] = [];
  for (const name of names) {
    const index = known.get(name);
    if (index === undefined || !(uses[index] < fair)) fresh.push(name);
    else {
      result.set(name, index);
      uses[index]++;
    }
  }
  for (const name of fresh) {
    const least = Math.min(...uses);
    const isRoom = uses.slice(0, FIRST).includes(least);
    const size = isRoom ? FIRST : PALETTE_SIZE;
    let index = hash(name) % size;
    while (uses[index] > least) index = (index + 1) % size;
    uses[index]++;
    result.set(name, index);
  }
  return result;
}
