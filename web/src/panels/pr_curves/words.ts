/** The words of the PR curves panel. */

import { messages } from "../../i18n/messages";

export const t = messages({
  run: ["Run", "运行"],
  threshold: ["Threshold", "阈值"],
  precision: ["Precision", "精确率"],
  recall: ["Recall", "召回率"],
  step: ["Step", "步数"],
  average: ["AP", "AP"],
  averageTip: ["Average precision, and the threshold of the largest F1", "平均精确率,以及 F1 最大时的阈值"],
  best: ["F1 {f1} at {threshold}", "F1 {f1},阈值 {threshold}"],
  more: ["and {n} more", "还有 {n} 条"],
  curves: ["Other tags", "其他标签"],
  legend: ["Runs and their average precision", "运行及其平均精确率"],
  chart: [
    "{title}: precision over recall of {n} runs. Arrow keys move the cursor, + and − zoom, 0 shows all.",
    "{title}:{n} 个运行的精确率-召回率曲线。方向键移动光标,+ 和 − 缩放,0 显示全部。",
  ],
  expand: ["Full screen", "全屏"],
  shrink: ["Leave full screen", "退出全屏"],
  save: ["Save this chart or its points", "保存此图表或其数据点"],
  svg: ["SVG, for a paper", "SVG(论文用)"],
  png: ["PNG, at 3× resolution", "PNG(3 倍分辨率)"],
  csv: ["CSV, every threshold", "CSV(所有阈值)"],
  noRun: ["No run in view has this tag", "当前可见的运行都没有此标签"],
  empty: ["No PR curve yet", "尚无 PR 曲线"],
  emptyText: [
    'Log one with tf.summary.pr_curve("cat", labels, predictions, step).',
    '可用 tf.summary.pr_curve("cat", labels, predictions, step) 记录。',
  ],
});
