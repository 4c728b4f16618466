/** Whether more of a scalar is better, or less. */

import { changePage, settings } from "../../state/board";

export type Better = "less" | "more";

const MORE =
  /(^|[^a-z])(acc|accuracy|auc|auroc|f1|f_?score|precision|recall|iou|miou|map|ap|ndcg|mrr|hits?|bleu|rouge|meteor|cider|psnr|ssim|dice|reward|return|score|success|win|r2|kappa|mcc|corr|pearson|spearman|top_?\d+|exact_match|throughput|fps|per_second|per_sec|samples_s|tokens_s)([^a-z]|$)/i;

/** What the name of a scalar says: accuracies and rewards are to grow, everything else to fall. */
export function guessed(name: string): Better {
  return MORE.test(name.replace(/([a-z])([A-Z])/g, "$1_$2")) ? "more" : "less";
}

function chosen(): Record<string, unknown> {
  const found = settings.value.page.better;
  return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : {};
}

/** What the user says, or else the name. */
export function betterOf(name: string): Better {
  const own = Object.hasOwn(chosen(), name) ? chosen()[name] : undefined;
  return own === "less" || own === "more" ? own : guessed(name);
}

export function setBetter(name: string, better: Better): void {
  changePage({ better: { [name]: better === guessed(name) ? null : better } });
}
