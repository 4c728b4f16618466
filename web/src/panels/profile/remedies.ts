/** What to do, in the language of the page: the server says it in English. */

import type { ProfileRemedy, RemedyKind } from "../../api/schema";
import { typeset } from "../../i18n/messages";
import { locale } from "../../state/appearance";

/** `{subject}` is the function or the stage of the pipeline that it is about. */
const CHINESE: Record<RemedyKind, string> = {
  dataset:
    "批次由单个线程读取。请用文件名或编号构建 tf.data.Dataset,以 map(load, num_parallel_calls=tf.data.AUTOTUNE) 加载,最后加上 prefetch(tf.data.AUTOTUNE)。",
  workers:
    "用多个线程读取 Sequence 的批次:fit(..., workers=4);若耗时的是 Python 本身,则用独立进程:use_multiprocessing=True。",
  no_generator:
    "from_generator 由单个线程读取。请用文件名或编号构建 Dataset,以 map(load, num_parallel_calls=tf.data.AUTOTUNE) 加载。",
  prefetch: "以 prefetch(tf.data.AUTOTUNE) 结尾:计算当前批次时,另一线程准备后续批次。",
  cache: "在 {subject} 之后、shuffle() 及随机步骤之前加入 cache():第一轮的结果保存在内存中,供后续各轮使用。",
  parallel_map: "用多个线程调用 {subject}:map({subject}, num_parallel_calls=tf.data.AUTOTUNE)。",
  batch_first:
    "{subject} 无法录制,因此对每个元素调用一次。若只用 tf 算子编写,可一次计算整个批次;或让它接收批次,并把 batch() 放在它之前。",
  less_work: "批次已提前并行读取。请减少 {subject} 的工作量,或事先完成并保存结果。",
  callbacks: "让{subject}不必在每个批次都执行:调整 update_freq、save_freq 和打印频率。",
  larger_batches: "使用更大的批次:无论批次大小,Python 每步的开销相同。",
  staging:
    "用 tf.function 编译自己的训练步;在 fit 中保持 run_eagerly 关闭并设置 steps_per_execution,或在只查看日志的回调中声明 supports_fused_steps = True。",
  equal_shapes: "保持批次形状一致:batch(drop_remainder=True),或用 padded_batch 填充到同一长度。",
  tensors: "把会变化的 Python 数值以张量形式传给 tf.function。",
};

/** What a remedy is about where the profile does not name it. */
const UNNAMED: Partial<Record<RemedyKind, string>> = { callbacks: "回调" };

export function remedyText({ kind, subject, text }: ProfileRemedy): string {
  if (locale.value !== "zh") return text;
  return typeset(CHINESE[kind]).replaceAll("{subject}", subject || UNNAMED[kind] || "生成批次");
}
