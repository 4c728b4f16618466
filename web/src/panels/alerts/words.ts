/** The words of the alerts panel. */

import { messages } from "../../i18n/messages";

export const t = messages({
  title: ["Alerts", "告警"],
  toolbar: ["Alerts shown", "显示的告警"],
  all: ["All", "全部"],
  error: ["Errors", "错误"],
  warning: ["Warnings", "警告"],
  info: ["Info", "信息"],
  levelTip: ["Show alerts of this level only", "仅显示此级别的告警"],
  level: ["Level", "级别"],
  search: ["Filter alerts", "筛选告警"],
  searchTip: [
    "Keep alerts whose text or run matches this regular expression",
    "保留文本或运行名匹配此正则表达式的告警",
  ],
  notify: ["Notify me", "桌面通知"],
  notifyTip: [
    "Show new alerts as notifications of the desktop while this page is open",
    "页面打开时,以桌面通知显示新告警",
  ],
  isError: ["Error", "错误"],
  isWarning: ["Warning", "警告"],
  isInfo: ["Information", "信息"],
  atStep: ["step {step}", "第 {step} 步"],
  times: ["{n} times", "{n} 次"],
  only: ["Show only this run", "只显示此运行"],
  onlyTip: ["Switch every other run off, in every chart", "在所有图表中关闭其他运行"],
  detail: ["Details", "详情"],
  detailTip: ["Show or hide the traceback, or the text of the alert", "显示或隐藏回溯信息或告警正文"],
  more: ["and {n} more: filter to find them", "另有 {n} 条:请筛选查找"],
  none: ["Nothing is wrong", "一切正常"],
  noneText: [
    "NaN losses, divergence, overfitting, vanishing and exploding gradients, stalled and crashed runs, full disks and slow input are reported here.",
    "损失为 NaN、发散、过拟合、梯度消失与爆炸、运行停滞或崩溃、磁盘将满、输入过慢都会显示在此处。",
  ],
  noneOfRuns: ["No alert matches", "没有匹配的告警"],
  noneOfRunsText: ["Runs that are switched off are left out.", "已关闭的运行不在其中。"],
});
