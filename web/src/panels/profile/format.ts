/** Seconds and bytes, short enough for a table. */

export function formatSeconds(seconds: number): string {
  const size = Math.abs(seconds);
  if (!Number.isFinite(seconds)) return "–";
  if (size === 0) return "0 s";
  if (size >= 100) return `${seconds.toFixed(0)} s`;
  if (size >= 1) return `${seconds.toFixed(2)} s`;
  if (size >= 1e-3) return `${digits(seconds * 1e3)} ms`;
  if (size >= 1e-6) return `${digits(seconds * 1e6)} µs`;
  return `${digits(seconds * 1e9)} ns`;
}

function digits(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** A moment on an axis whose marks are `step` seconds apart. */
export function formatMoment(seconds: number, step: number): string {
  const [unit, name] =
    step >= 0.1 ? [1, "s"] : step >= 1e-4 ? [1e3, "ms"] : step >= 1e-7 ? [1e6, "µs"] : [1e9, "ns"];
  let decimals = 0;
  for (let mark = step * unit; decimals < 6 && Math.abs(mark - Math.round(mark)) > 1e-6 * mark; mark *= 10)
    decimals++;
  return `${(seconds * unit).toFixed(decimals)} ${name}`;
}

export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(value >= 100 ? 0 : 1)} ${units[unit]}`;
}

export function formatShare(share: number): string {
  return `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)}%`;
}
