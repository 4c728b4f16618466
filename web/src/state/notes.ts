/** What the server says of runs and of how far it has read them. */

import { computed } from "@preact/signals";
import type { Run } from "../api/schema";
import { joined, notes } from "../i18n/notes";
import { progress } from "./board";

export const sayOfRun = notes({
  failed: "读取失败({error})",
  file_unreadable: "无法读取 {file}:{error}",
  folder_unreadable: "无法读取文件夹:{error}",
  link_out: "不跟随指向日志文件夹之外的链接;请将其目标作为单独的 --logdir 给出",
  damage: "{file} 在偏移 {offset} 处起有 {n} 个损坏字节:{reason}",
  cut: "末尾 {n} 个字节不是完整的记录",
  tags: "标签过多或过长,略去 {n} 个值",
  samples: "单步超过 {most} 个样本,略去 {n} 个",
  no_folder: "{path} 尚不存在;创建后将显示其中的运行",
  no_files: "尚无事件文件;有记录后将显示运行",
  looking: "正在查找运行",
  reading: "已读取 {read} / {total} 个运行",
  run_damage: "{run} 在偏移 {offset} 处起有 {n} 个损坏字节",
  more_damage: "另有 {n} 个运行存在损坏",
  remote: "无法读取 {address}:{error}",
  remote_names: "略去 {address} 中的 {n} 个文件:其名称在此不是路径,或文件过多",
});

/** What is wrong with a run; "" if nothing is. */
export function runMessage(run: Run): string {
  return joined(run.notes, sayOfRun);
}

/** How far reading has come, with what is damaged. */
export const progressMessage = computed(() => joined(progress.value?.notes ?? [], sayOfRun));

export const hasDamage = computed(() =>
  (progress.value?.notes ?? []).some(({ code }) => code.endsWith("damage")),
);
