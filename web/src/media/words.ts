/** The words that panels of pictures, sounds and texts share. */

import { messages } from "../i18n/messages";

export const t = messages({
  searchTags: ["Search tags", "搜索标签"],
  searchTagsTip: ["Show only tags that match this regular expression", "只显示匹配此正则表达式的标签"],
  link: ["One slider for all", "统一步数滑块"],
  linkTip: ["Moving one slider moves all of them to the same step", "移动一个滑块时,所有滑块移到同一步"],
  step: ["Step", "步数"],
  stepTip: ["Step {step} · {time} · {index} of {total}", "第 {step} 步 · {time} · {index} / {total}"],
  stepSlider: ["Step of {name}", "{name} 的步数"],
  play: ["Play {name} over its steps", "逐步播放 {name}"],
  pause: ["Pause {name}", "暂停 {name}"],
  size: ["Size", "大小"],
  sizeTip: ["How large the cards are", "卡片的大小"],
  small: ["S", "小"],
  medium: ["M", "中"],
  large: ["L", "大"],
  general: ["Other tags", "其他标签"],
  loading: ["Loading…", "加载中…"],
  empty: ["Nothing of this kind yet", "尚无此类内容"],
  emptyText: ["It appears here once a run has logged some.", "运行记录后会显示在此处。"],
  logWith: ["Log some with {code}", "用 {code} 记录"],
  noMatch: ["No tag matches", "没有匹配的标签"],
  noMatchText: ["The search “{text}” fits none of the {n} tags.", "搜索“{text}”与 {n} 个标签均不匹配。"],
  noRuns: ["No run in view has any", "当前可见的运行中没有内容"],
  noRunsText: ["Switch runs on in the list at the left.", "请在左侧列表中启用运行。"],
  broken: ["This step cannot be shown: {error}", "无法显示此步:{error}"],
  toolbar: ["Settings of this panel", "此面板的设置"],
  nothing: ["Nothing was logged at this step.", "此步没有记录内容。"],
});
