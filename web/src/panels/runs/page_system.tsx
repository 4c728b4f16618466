/** What the machine did while a run went on. */

import type { RunChart } from "../../api/schema";
import { formatValue } from "../../chart/format";
import { sizeText } from "./actions";
import { Card } from "./sections";
import { systemTitle, t } from "./words";

const UNITS: Record<string, (value: number) => string> = {
  "%": (value) => `${Number(value.toPrecision(3))} %`,
  B: sizeText,
  "B/s": (value) => `${sizeText(value)}/s`,
};

/** What the machine did meanwhile, a small chart for each metric. */
export function System({ charts }: { charts: readonly RunChart[] }) {
  if (charts.length === 0) return null;
  return (
    <Card title={t("system")} isWide>
      <div class="rp-system">
        {charts.map((chart) => (
          <SystemChart key={chart.tag} chart={chart} />
        ))}
      </div>
    </Card>
  );
}

const WIDTH = 240;
const HEIGHT = 56;

function SystemChart({ chart }: { chart: RunChart }) {
  const values = chart.values.map(Number);
  const show = UNITS[chart.unit] ?? formatValue;
  const finite = values.filter(Number.isFinite);
  const last = finite[finite.length - 1] ?? Number.NaN;
  const top = Math.max(...finite, chart.unit === "%" ? 100 : 1e-9);
  const end = Math.max(chart.seconds[chart.seconds.length - 1] ?? 0, 1);
  const points = values
    .map((value, i) => [(chart.seconds[i] / end) * WIDTH, HEIGHT - (value / top) * (HEIGHT - 2) - 1])
    .filter(([, y]) => Number.isFinite(y))
    .map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`);
  const title = systemTitle(chart);
  return (
    <figure>
      <figcaption>
        {title}: <b>{show(last)}</b>
        <span class="rp-small">{t("upTo", { value: show(Math.max(...finite)) })}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={title}>
        <polyline points={points.join(" ")} />
      </svg>
    </figure>
  );
}
