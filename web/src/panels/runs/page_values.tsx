/** The values of a run: every scalar with its last, best, least and largest. */

import type { RunScalar } from "../../api/schema";
import { formatCount, formatValue } from "../../chart/format";
import { betterOf } from "./better";
import { Card } from "./sections";
import { t } from "./words";

export interface Best {
  value: number;
  step: number;
}

/** The best value of a scalar, and where it was; the last one if none is better than another. */
export function bestOf(scalar: RunScalar): Best {
  const better = betterOf(scalar.name);
  if (!better) return { value: Number(scalar.last), step: scalar.last_step };
  return better === "less"
    ? { value: Number(scalar.least), step: scalar.least_step }
    : { value: Number(scalar.largest), step: scalar.largest_step };
}

export function Values({ scalars }: { scalars: readonly RunScalar[] }) {
  if (scalars.length === 0) {
    return (
      <Card title={t("values")}>
        <p class="rp-hint">{t("noScalars")}</p>
      </Card>
    );
  }
  return (
    <Card title={t("values")} isWide>
      <div class="rp-scroll" tabIndex={0} role="region" aria-label={t("values")}>
        <table class="rp-table">
          <thead>
            <tr>
              <th scope="col">{t("scalar")}</th>
              {[t("last"), t("best"), t("bestStep"), t("min"), t("max"), t("stepsSeen")].map((title) => (
                <th key={title} scope="col" class="is-number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {scalars.map((scalar) => {
              const best = bestOf(scalar);
              const cells = [scalar.last, best.value, best.step, scalar.least, scalar.largest, scalar.count];
              return (
                <tr key={scalar.name}>
                  <th scope="row">{scalar.name}</th>
                  {cells.map((value, i) => (
                    <td key={i} class="is-number">
                      {i === 2 || i === 5 ? formatCount(Number(value)) : formatValue(Number(value))}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
