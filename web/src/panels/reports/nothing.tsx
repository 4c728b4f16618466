/** Instead of what a view no longer finds, and below one that shows only a part. */

import type { View } from "./address";
import { t } from "./words";

export function Nothing({ view }: { view: View }) {
  return <p class="embed-nothing">{t("nothing", { address: `#${view.panel}?${view.query}` })}</p>;
}

export function Cut({ shown, total }: { shown: number; total: number }) {
  return shown < total ? <p class="embed-nothing">{t("cut", { n: shown, total })}</p> : null;
}
