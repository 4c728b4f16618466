/** The words of the custom scalars panel. */

import { messages } from "../../i18n/messages";
import { notes } from "../../i18n/notes";

export const t = messages({
  search: ["Search charts", "搜索图表"],
  searchTip: ["Show only charts whose title or tags match", "只显示标题或标签匹配的图表"],
  options: ["Settings of this panel", "此面板的设置"],
  noMatch: ["No chart matches", "没有匹配的图表"],
  noMatchText: ["The search “{text}” fits none of the {n} charts.", "搜索“{text}”与 {n} 个图表均不匹配。"],
  loading: ["Loading…", "加载中…"],
  problem: ["Lines are missing: {problem}", "缺少曲线:{problem}"],
  empty: ["No layout of charts yet", "尚无图表布局"],
  emptyText: [
    "Log one with tapeflow.plugins.custom_scalar.summary.op(layout), or tensorboardX's add_custom_scalars.",
    "可用 tapeflow.plugins.custom_scalar.summary.op(layout) 或 tensorboardX 的 add_custom_scalars 记录。",
  ],
});

export const say = notes({
  slow: "匹配 {expression} 超过 {seconds} 秒",
  not_tried: "{n} 个表达式耗时过长,因此未尝试 {expression}",
  long: "表达式最多 {most} 个字符;实际有 {n} 个",
  invalid: "{expression} 不是正则表达式:{error}",
  charts_cut: "仅显示前面的图表:布局最多包含 {charts} 个图表和其中的 {tags} 个标签",
});
