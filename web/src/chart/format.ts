/** Numbers and times as text: short, and the same everywhere. */

/** Four significant digits, or `digits`; very large and very small ones as 1.2e-5. */
export function formatValue(value: number, digits = 4): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return minus(value.toExponential(digits - 1).replace("e+", "e"));
  // A 0.0099999998 of 32 bits is shown as 0.01000, with the decimals of what is shown.
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Number(size.toPrecision(digits)))));
  return minus(value.toFixed(Math.min(decimals, 12)));
}

function minus(text: string): string {
  return text.replace(/^-/, "−");
}

/**
 * Marks of an axis `step` apart: just as many decimals as tell them apart.
 *
 * The largest of them says how all are written: no 9.5e-4 stands below 0.00100, and no 9500 below 10k.
 */
export function formatTick(value: number, step: number, largest = Math.abs(value)): string {
  if (value === 0) return "0";
  const size = largest;
  if (size >= 1e15 || step < 1e-6) return minus(trimExponent(value.toExponential(2)));
  for (const [unit, letter] of [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e4, "k"],
  ] as const) {
    if (size >= unit) {
      const scale = letter === "k" ? 1e3 : unit;
      return minus(`${(value / scale).toFixed(decimals(step / scale))}${letter}`);
    }
  }
  if (size < 1e-3)
    return minus(trimExponent(value.toExponential(Math.max(0, digitsBetween(Math.abs(value), step)))));
  return minus(value.toFixed(decimals(step)));
}

/** How many decimals a multiple of `step` needs. */
function decimals(step: number): number {
  let count = 0;
  while (count < 12 && Math.abs(Math.round(step) - step) > 1e-6 * step) {
    step *= 10;
    count++;
  }
  return count;
}

function digitsBetween(size: number, step: number): number {
  return Math.min(6, Math.floor(Math.log10(size) + 1e-9) - Math.floor(Math.log10(step) + 1e-9));
}

function trimExponent(text: string): string {
  return text.replace("e+", "e").replace(/\.0+e/, "e");
}

/** A count with commas between thousands, as the server writes them. */
export function formatCount(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** 4.2s, 3m 05s, 2h 07m, 3d 4h. */
export function formatDuration(seconds: number): string {
  const sign = seconds < 0 ? "−" : "";
  const size = Math.abs(seconds);
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  if (size < 60) return `${sign}${size < 10 ? Number(size.toFixed(2)) : Math.round(size)}s`;
  if (size < 3600) return `${sign}${Math.floor(size / 60)}m ${two(size % 60)}s`;
  if (size < 86400) return `${sign}${Math.floor(size / 3600)}h ${two((size % 3600) / 60)}m`;
  return `${sign}${Math.floor(size / 86400)}d ${Math.floor((size % 86400) / 3600)}h`;
}

/** Local time, to the second. */
export function formatTime(wall: number): string {
  const date = new Date(wall * 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
