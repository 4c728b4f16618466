/** The words of the runs panel. */

import type { RunStanding } from "../../api/schema";
import { messages } from "../../i18n/messages";
import { notes } from "../../i18n/notes";
import type { Topic } from "./system_groups";

export const t = messages({
  options: ["Options of the table", "表格选项"],
  table: ["Runs", "运行"],
  loading: ["Reading the runs…", "正在读取运行…"],
  failed: ["The table could not be loaded", "无法加载表格"],
  none: ["No runs yet", "尚无运行"],
  noneText: [
    "A run is a folder with event files; it is listed here once there is one.",
    "运行是含有事件文件的文件夹;出现后会列在此处。",
  ],
  noMatch: ["No run passes the filter", "没有运行符合筛选条件"],
  leftOut: ["Not in the table: {text}.", "表格中未列出:{text}。"],
  filter: ["Filter by values", "按数值筛选"],
  filterPlaceholder: ["val_loss < 0.3 and lr >= 1e-3", "val_loss < 0.3 and lr >= 1e-3"],
  filterTip: [
    'Keep the runs for which this holds, in every panel. Columns by name, also loss.min, .max, .best, .last, .step; < <= > >= == != ~ (regular expression) in, and or not, + - * / and has() isnan() abs() log() log10() sqrt(). Names with spaces in `backticks`, texts in "quotes"',
    '只保留满足此表达式的运行(对所有面板生效)。直接写列名,也可写 loss.min、.max、.best、.last、.step;支持 < <= > >= == != ~(正则表达式)in、and or not、+ - * / 以及 has() isnan() abs() log() log10() sqrt()。含空格的列名用 `反引号`,文本用 "引号"',
  ],
  filterTitle: ["Runs: {text}", "运行:{text}"],
  problemAt: ["Character {at}: {text}", "第 {at} 个字符:{text}"],
  letter: ["“{text}” means nothing here", "此处不能使用“{text}”"],
  unclosed: ["the quote {text} is never closed", "引号 {text} 没有闭合"],
  expected: [
    "expected a name, a number or an operator; got “{text}”",
    "此处应为列名、数字或运算符,却是“{text}”",
  ],
  ends: ["something is missing at the end", "表达式不完整"],
  nameUnknown: ["there is no column “{text}”; a text needs quotes", "没有名为“{text}”的列;文本须加引号"],
  call: ["there is no function “{text}”; there are {names}", "没有函数“{text}”;可用函数:{names}"],
  deep: ["too many brackets", "括号嵌套过深"],
  value: ["Values", "取值"],
  valueTip: ["Which value of each scalar the table shows", "表格中各标量显示哪个值"],
  last: ["last", "最后"],
  best: ["best", "最佳"],
  min: ["min", "最小"],
  max: ["max", "最大"],
  step: ["best at step", "最佳步"],
  group: ["Group by", "分组"],
  groupTip: [
    "Put runs together, here and in the charts; a group shows mean and spread",
    "将运行归组(同样作用于图表);分组行显示均值与离散程度",
  ],
  noGroup: ["Nothing", "不分组"],
  byPattern: ["Name pattern", "名称模式"],
  pattern: ["Pattern; ( ) marks the group", "模式;( ) 表示分组"],
  shade: ["Shade", "着色"],
  shadeTip: ["Shade numbers from the worst to the best of their column", "按列内由差到好为数字着色"],
  columnsTip: ["Choose the columns", "选择要显示的列"],
  facts: ["Facts", "概况"],
  hparams: ["Hyperparameters", "超参数"],
  scalars: ["Scalars", "标量"],
  count: ["{n} of {total} runs", "{n} / {total} 个运行"],
  countTip: [
    "Runs shown, of all runs; archived runs are not counted",
    "已显示的运行 / 全部运行;不含已归档的运行",
  ],
  download: ["Save the table", "保存表格"],
  csv: ["Save as CSV", "保存为 CSV"],
  latex: ["Save as LaTeX", "保存为 LaTeX"],
  markdown: ["Save as Markdown", "保存为 Markdown"],
  name: ["Run", "运行"],
  state: ["State", "状态"],
  starred: ["Star", "星标"],
  tags: ["Tags", "标签"],
  note: ["Note", "备注"],
  duration: ["Duration", "时长"],
  started: ["Started", "开始时间"],
  host: ["Host", "主机"],
  points: ["Points", "数据点"],
  sort: ["Sort by {name}", "按{name}排序"],
  column: ["Column {name}", "{name} 列"],
  left: ["Move to the left", "左移"],
  right: ["Move to the right", "右移"],
  hideColumn: ["Hide this column", "隐藏此列"],
  lessBetter: ["Less is better", "越小越好"],
  moreBetter: ["More is better", "越大越好"],
  betterTip: ["What counts as the best value of {name}", "{name} 的最佳值取向"],
  toggle: ["Show or hide {name} in the charts", "在图表中显示或隐藏 {name}"],
  toggleAll: ["Select all of these runs, or none", "选中或取消选中这些运行"],
  star: ["Star {name}", "为 {name} 加星标"],
  open: ["Open the page of {name}", "打开 {name} 的页面"],
  onTop: ["Kept on top", "已置顶"],
  baseline: ["Baseline", "基线"],
  fold: ["Show or hide the runs of {name}", "展开或收起 {name}"],
  members: ["{n} runs", "{n} 个运行"],
  spread: ["mean ± standard deviation of {n}", "{n} 个运行的均值 ± 标准差"],
  selected: ["{n} selected", "已选 {n} 个"],
  selectedTip: [
    "What the buttons beside this act on: the runs whose boxes are checked",
    "旁边的按钮作用于已勾选的运行",
  ],
  compare: ["Compare", "比较"],
  compareTip: ["Compare the selected runs: two to five", "比较选中的运行(2 至 5 个)"],
  archive: ["Archive", "归档"],
  archiveTip: [
    "Take the selected runs out of every list and chart; their files stay",
    "将选中的运行移出所有列表和图表;文件保留",
  ],
  delete: ["Delete…", "删除…"],
  deleteTip: ["Move the files of the selected runs to the trash", "将选中运行的文件移到回收站"],
  deleteTitle: ["Delete {n} runs?", "删除 {n} 个运行?"],
  deleteOne: ["Delete {name}?", "删除 {name}?"],
  deleteText: [
    "Their event files and profiles move to `.tapeflow-trash` in the log folder, and can be restored from there. Checkpoints and other files stay.",
    "其事件文件和性能剖析将移到日志文件夹中的 `.tapeflow-trash`,可随时还原。检查点及其他文件不受影响。",
  ],
  andMore: ["and {n} more", "以及另外 {n} 个"],
  deleteNow: ["Move to the trash", "移到回收站"],
  cancel: ["Cancel", "取消"],
  deleted: ["{n} runs deleted.", "已删除 {n} 个运行。"],
  undo: ["Undo", "撤销"],
  undoTip: ["Take them out of the trash", "从回收站还原"],
  trash: ["Trash", "回收站"],
  trashTip: ["Deleted runs", "已删除的运行"],
  trashEmpty: ["The trash is empty.", "回收站为空。"],
  restore: ["Restore", "还原"],
  restoreTip: ["Put {name} back where it was", "将 {name} 放回原处"],
  erase: ["Delete for good", "彻底删除"],
  eraseTip: ["Delete the files of {name}; this cannot be undone", "删除 {name} 的文件;无法撤销"],
  eraseAll: ["Empty the trash", "清空回收站"],
  eraseAllTip: ["Delete everything in the trash; this cannot be undone", "删除回收站中的所有内容;无法撤销"],
  eraseSure: ["Click again to delete for good", "再次点击以彻底删除"],
  trashed: ["{time} · {files} files, {size}", "{time} · {files} 个文件,{size}"],
  refused: ["Not done: {text}", "未完成:{text}"],
  dismiss: ["Dismiss", "关闭"],
  close: ["Close", "关闭"],
  // The page of a run
  back: ["All runs", "全部运行"],
  backTip: ["Back to the table", "返回表格"],
  showCharts: ["Show in charts", "查看图表"],
  showChartsTip: ["Show nothing else in the charts", "图表中只显示所选运行"],
  values: ["Values", "数值"],
  scalar: ["Scalar", "标量"],
  hparam: ["Hyperparameter", "超参数"],
  theValue: ["Value", "值"],
  bestStep: ["at step", "步"],
  stepsSeen: ["Steps", "步数"],
  noScalars: ["This run has logged no numbers.", "此运行没有记录数值。"],
  noHparams: ["This run has logged no hyperparameters.", "此运行没有记录超参数。"],
  notes: ["Notes", "备注"],
  notesTip: ["Notes in Markdown, kept with the board", "Markdown 备注,保存在看板中"],
  notesPlaceholder: ["Write notes in Markdown", "用 Markdown 写备注"],
  edit: ["Edit", "编辑"],
  done: ["Done", "完成"],
  tagsTip: ["Tags of this run, with commas between them", "此运行的标签,以逗号分隔"],
  media: ["Media of the last step", "最后一步的媒体"],
  texts: ["Texts", "文本"],
  profile: ["Profile", "性能剖析"],
  openProfile: ["Open the profile", "打开性能剖析"],
  graph: ["Graph", "计算图"],
  openPanel: ["Open {title}", "打开{title}"],
  atStep: ["step {step}", "第 {step} 步"],
  files: ["Files", "文件"],
  file: ["File", "文件"],
  size: ["Size", "大小"],
  problems: ["Problems", "问题"],
  system: ["Machine", "机器"],
  upTo: ["up to {value}", "最高 {value}"],
  momentOf: ["{title}: the moment that is read", "{title}:所读取的时刻"],
  isCut: ["Cut: the file has more.", "已截断:文件中还有更多内容。"],
  gone: ["There is no such run any more", "此运行已不存在"],
  // Comparing
  comparing: ["{n} runs compared", "比较 {n} 个运行"],
  compareFew: ["Choose two to five runs to compare", "请选择 2 至 5 个运行进行比较"],
  differences: ["Differences only", "只看差异"],
  differencesTip: ["Leave out what is the same in all of these runs", "隐藏各运行相同的部分"],
  allSame: ["The same in all of these runs.", "各运行相同。"],
  missingIn: ["not in this run", "此运行没有"],
  leaveOut: ["Leave {name} out", "移除 {name}"],
  sameText: ["The same text", "文本相同"],
  against: ["{name} against {base}", "{name} 与 {base} 对比"],
  tooLong: ["Too long to be compared line by line.", "文本过长,无法逐行比较。"],
});

const STANDINGS = messages<RunStanding>({
  reading: ["being read", "读取中"],
  unreadable: ["unreadable", "无法读取"],
  running: ["running", "运行中"],
  finished: ["finished", "已完成"],
  stopped: ["stopped", "已停止"],
  stalled: ["stalled", "停滞"],
  crashed: ["crashed", "已崩溃"],
  ended: ["ended", "已结束"],
});

const STANDING_TIPS = messages<RunStanding>({
  reading: ["Its files are being read", "正在读取其文件"],
  unreadable: ["Its files cannot be read", "其文件无法读取"],
  running: ["Something was written within the last half minute", "半分钟内有数据写入"],
  finished: ["It says that it finished", "其记录表明已完成"],
  stopped: ["It says that it was stopped", "其记录表明已被停止"],
  stalled: ["It says neither that it ended nor that it is alive", "既未结束,也无活动迹象"],
  crashed: ["It says that it failed", "其记录表明已失败"],
  ended: [
    "Nothing is written any more; its files do not say how it ended",
    "不再写入数据;文件未说明如何结束",
  ],
});

export function standingText(standing: RunStanding): string {
  return STANDINGS(standing);
}

export function standingTip(standing: RunStanding): string {
  return STANDING_TIPS(standing);
}

const TOPICS = messages<Topic>({
  cpu: ["CPU", "CPU"],
  memory: ["Memory of the machine", "整机内存"],
  processMemory: ["Memory of the process", "进程内存"],
  gpu: ["GPU", "GPU"],
  gpuMemory: ["GPU memory", "GPU 内存"],
  disk: ["Disk in use", "已用磁盘"],
  diskFree: ["Free disk space", "磁盘剩余空间"],
  diskTraffic: ["Disk traffic", "磁盘读写"],
  network: ["Network", "网络"],
  other: ["Other metrics", "其他指标"],
});

/** What a chart of several metrics of the machine is called. */
export function topicTitle(topic: Topic): string {
  return TOPICS(topic);
}

const SYSTEM = messages({
  "system/cpu": ["CPU of the machine", "整机 CPU"],
  "system/process_cpu": ["CPU of the process", "进程 CPU"],
  "system/memory": ["Memory in use", "已用内存"],
  "system/process_memory": ["Memory of the process", "进程内存"],
  "system/disk": ["Disk in use", "已用磁盘"],
  "system/disk_free": ["Free disk space", "磁盘剩余空间"],
  "system/disk_read": ["Read from disks", "磁盘读取"],
  "system/disk_written": ["Written to disks", "磁盘写入"],
  "system/received": ["Received from the network", "网络接收"],
  "system/sent": ["Sent to the network", "网络发送"],
});

const SYSTEM_TAGS: readonly string[] = [
  "system/cpu",
  "system/process_cpu",
  "system/memory",
  "system/process_memory",
  "system/disk",
  "system/disk_free",
  "system/disk_read",
  "system/disk_written",
  "system/received",
  "system/sent",
];

/** What a metric of the machine is called; a GPU by its tag. */
export function systemTitle({ tag, title }: { tag: string; title: string }): string {
  return SYSTEM_TAGS.includes(tag) ? SYSTEM(tag as Parameters<typeof SYSTEM>[0]) : title;
}

export const say = notes({
  rows_cut: "前 {most} 个之后的 {n} 个运行",
  hparams_cut: "前 {most} 个之后的 {n} 个超参数",
  scalars_cut: "前 {most} 个之后、较少运行拥有的 {n} 个标量",
  no_run: "此运行已不存在",
  live: "仍在写入,请先停止它",
  linked: "它是通过链接访问的;请删除链接的目标",
  nothing: "它没有自己的文件",
  remote: "它位于其他存储中;请在那里删除",
  in_the_way: "{file} 已重新出现;请先将其移走",
  damaged: "回收站中的文件清单不可用:{error}",
  failed: "{file}:{error}",
});
