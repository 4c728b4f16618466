/** Whether more of a scalar is better, or less. */

import { changePage, settings } from "../../state/board";

export type Better = "less" | "more";

const MORE =
  /(^|[^a-z])(acc|accuracy|auc|auroc|f1|f_?score|precision|recall|iou|miou|map|ap|ndcg|mrr|hits?|bleu|rouge|meteor|cider|psnr|ssim|dice|reward|return|score|success|win|r2|kappa|mcc|corr|pearson|spearman|top_?\d+|exact_match|throughput|fps|per_second|per_sec|samples_s|tokens_s)([^a-z]|$)/i;

/** What a program sets and does not reach. */
const SET =
  /(^|[^a-z])(lr|learning_?rate)([^a-z]|$)|(^|\/)(epoch|step|global_step|iteration|momentum|weight_decay|batch_size)$/i;

/** What the name of a scalar says: accuracies and rewards are to grow, losses and everything else to fall. */
export function guessed(name: string): Better | undefined {
  if (SET.test(name)) return undefined;
  return MORE.test(name.replace(/([a-z])([A-Z])/g, "$1_$2")) ? "more" : "less";
}

function chosen(): Record<string, unknown> {
  const found = settings.value.page.better;
  return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : {};
}

/** What the user says, or else the name; undefined if no value is better than another, as of a learning rate. */
export function betterOf(name: string): Better | undefined {
  const own = Object.hasOwn(chosen(), name) ? chosen()[name] : undefined;
  return own === "less" || own === "more" ? own : guessed(name);
}

export function setBetter(name: string, better: Better): void {
  changePage({ better: { [name]: better === guessed(name) ? null : better } });
}
