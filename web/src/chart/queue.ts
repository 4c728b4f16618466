/** Draws charts in turn, a few a frame, so that many of them never hold the page up. */

const BUDGET_MS = 12;

const waiting = new Set<() => void>();
let isRunning = false;

/** Draws soon; asking again before that changes nothing. */
export function drawSoon(draw: () => void): void {
  waiting.add(draw);
  if (isRunning) return;
  isRunning = true;
  requestAnimationFrame(run);
}

export function drawNever(draw: () => void): void {
  waiting.delete(draw);
}

function run(): void {
  const end = performance.now() + BUDGET_MS;
  for (const draw of waiting) {
    waiting.delete(draw);
    draw();
    if (performance.now() > end) break;
  }
  isRunning = waiting.size > 0;
  if (isRunning) requestAnimationFrame(run);
}
