/** The words of the confusion panel. */

import { messages } from "../../i18n/messages";
import { notes } from "../../i18n/notes";

export const t = messages({
  mode: ["Cells", "单元格"],
  modeTip: [
    "What cells show: counts, parts of the true class (recall), or parts of the predicted one (precision)",
    "单元格内容:计数、占真实类别的比例(召回率)或占预测类别的比例(精确率)",
  ],
  counts: ["Counts", "计数"],
  row: ["% of true", "占真实 %"],
  column: ["% of predicted", "占预测 %"],
  sort: ["Sort", "排序"],
  sortTip: ["The order of classes, in rows and columns alike", "类别的顺序,行列相同"],
  index: ["as logged", "原始顺序"],
  name: ["by name", "按名称"],
  support: ["by examples", "按样本数"],
  error: ["by error rate", "按错误率"],
  errors: ["by errors", "按错误数"],
  true: ["True", "真实"],
  predicted: ["Predicted", "预测"],
  trueClass: ["True class", "真实类别"],
  predictedClass: ["Taken for", "预测为"],
  count: ["Count", "计数"],
  ofRow: ["of the true class", "占真实类别"],
  ofColumn: ["of the predicted class", "占预测类别"],
  summary: [
    "{accuracy} of {total} right; most often {row} as {column}: {count}",
    "{total} 个中 {accuracy} 正确;最常将 {row} 误认为 {column}:{count}",
  ],
  faultless: ["{accuracy} of {total} right", "{total} 个中 {accuracy} 正确"],
  nothing: ["No examples", "没有样本"],
  pinned: [
    "{row} as {column}: {count}, {ofRow} of {row}, {ofColumn} of all taken for {column}",
    "{row} 预测为 {column}:{count},占 {row} 的 {ofRow},占预测为 {column} 的 {ofColumn}",
  ],
  unpin: ["Unpin this cell", "取消固定此单元格"],
  chart: [
    "{title}: confusion matrix of {n} classes, {summary}. First row: {first}. Arrow keys move, Enter pins, + and − zoom, 0 shows all.",
    "{title}:{n} 个类别的混淆矩阵,{summary}。首行:{first}。方向键移动,回车固定,+ 和 − 缩放,0 显示全部。",
  ],
  open: ["Large, with every class", "放大,显示每个类别"],
  close: ["Close", "关闭"],
  zoomIn: ["Zoom in", "放大"],
  zoomOut: ["Zoom out", "缩小"],
  all: ["Show all", "显示全部"],
  versus: ["Compare with", "比较对象"],
  versusTip: [
    "Another run beside it, at the same step and in the same order",
    "并排显示另一个运行,步数和顺序相同",
  ],
  none: ["nothing", "无"],
  save: ["Save this matrix", "保存此矩阵"],
  png: ["PNG, at 2× resolution", "PNG(2 倍分辨率)"],
  csv: ["CSV, every count", "CSV(所有计数)"],
  measuresCsv: ["CSV, measures of classes", "CSV(各类别指标)"],
  classes: ["Classes", "类别"],
  class: ["Class", "类别"],
  examples: ["Examples", "样本数"],
  precision: ["Precision", "精确率"],
  recall: ["Recall", "召回率"],
  f1: ["F1", "F1"],
  takenFor: ["Most often taken for", "最常误认为"],
  find: ["Find a class", "查找类别"],
  findTip: ["Only classes that match this regular expression", "只显示匹配此正则表达式的类别"],
  show: ["Show {name} in the matrix", "在矩阵中显示 {name}"],
  broken: ["This step cannot be shown: {error}", "无法显示此步:{error}"],
  empty: ["No confusion matrix yet", "尚无混淆矩阵"],
  emptyText: [
    'Log one with tf.summary.confusion_matrix("confusion", y_true, model(x), class_names, step).',
    '可用 tf.summary.confusion_matrix("confusion", y_true, model(x), class_names, step) 记录。',
  ],
});

export const say = notes({
  shape: "应为方形计数矩阵;实际形状为 {shape},类型 {dtype}",
  classes: "最多支持 {most} 个类别;实际有 {n} 个",
  counts: "计数应不小于 0;实际含负数、无穷或 NaN",
  cells: "有 {n} 个非零单元格;页面最多接受 {most} 个",
});
