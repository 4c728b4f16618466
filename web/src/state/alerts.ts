/** What is wrong with runs: the alerts that come with them, in words, and as notifications of the desktop. */

import { computed, effect } from "@preact/signals";
import type { Alert, AlertLevel, Run } from "../api/schema";
import { notes } from "../i18n/notes";
import { progress, runs } from "./board";
import { storedSignal } from "./stored";

const say = notes({
  nan: "{tag} 自第 {step} 步起不是有限数值",
  diverged: "{tag} 发散:第 {step} 步时为 {best},现为 {last}",
  plateau: "{tag} 没有下降:第 {step} 步时仍为 {last}",
  overfitting: "{tag} 自第 {step} 步起上升,从 {best} 升至 {last}",
  vanishing: "梯度消失:{tag} 在第 {step} 步几乎为 0",
  exploding: "梯度爆炸:{tag} 在第 {step} 步为 {last}",
  zero_rate: "学习率 {tag} 自第 {step} 步起为 0",
  input_bound: "训练有 {share}% 的时间在等待输入(性能剖析 {session})",
  stalled: "已没有活动迹象",
  crashed: "已崩溃:{error}",
  killed: "进程已消失,未说明原因",
  disk: "磁盘将满:剩余 {free} GB",
});

export interface RunAlert {
  run: Run;
  alert: Alert;
  /** The same for the same trouble, however often it is told. */
  key: string;
}

const RANKS: Record<AlertLevel, number> = { error: 0, warning: 1, info: 2 };

/** All alerts: the worst first, of these the latest first. */
export const alerts = computed<RunAlert[]>(() => {
  const found = [...runs.value.values()].flatMap((run) =>
    run.alerts.map((alert) => ({
      run,
      alert,
      key: `${run.id} ${alert.code} ${alert.tag || alert.note.text}`,
    })),
  );
  return found.sort(
    (a, b) =>
      RANKS[a.alert.level] - RANKS[b.alert.level] || (b.alert.wall_time ?? 0) - (a.alert.wall_time ?? 0),
  );
});

/** An alert in a sentence. */
export function alertText(alert: Alert): string {
  return say(alert.note);
}

/** The worst level among the alerts of runs; null if all are well, or there is only something to know. */
export function worstLevel(all: readonly Run[]): AlertLevel | null {
  const levels = all.flatMap((run) => run.alerts.map(({ level }) => level));
  return levels.includes("error") ? "error" : levels.includes("warning") ? "warning" : null;
}

/** Whether new alerts are shown by the desktop, too. */
export const notifies = storedSignal("notifies", false);

export const canNotify = "Notification" in globalThis && globalThis.isSecureContext;

/** Asks for leave, once, and remembers. */
export async function setNotifies(isOn: boolean): Promise<void> {
  notifies.value = isOn && canNotify && (await Notification.requestPermission()) === "granted";
}

let known: Set<string> | null = null;

effect(() => {
  const all = alerts.value;
  if (!progress.value?.is_done) return;
  const before = known;
  known = new Set(all.map(({ key }) => key));
  if (!before || !notifies.value || !canNotify || Notification.permission !== "granted") return;
  for (const { run, alert, key } of all.filter((one) => !before.has(one.key)).slice(0, 5)) {
    if (alert.level !== "info") new Notification(run.name, { body: alertText(alert), tag: key });
  }
});
