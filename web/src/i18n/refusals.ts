/** Why the server refuses, in the language of the page. */

import type { Problem } from "../api/schema";
import { locale } from "../state/appearance";
import { messages } from "./messages";
import { notes } from "./notes";

const t = messages({
  unreachable: ["The board cannot be reached.", "无法连接到看板服务器。"],
  busy: ["The board is busy", "服务器正忙"],
  failed: ["The board failed", "服务器出错"],
  forbidden: ["This is not allowed", "不允许此操作"],
  gone: ["This is not there any more", "所请求的内容已不存在"],
  wrong: ["The board cannot do this", "服务器无法处理此请求"],
});

const say = notes({
  failed: "服务器出错;详见其日志",
  token: "需要令牌:请打开看板启动时打印的网址",
  read_only: "看板以 --read-only 启动:设置不可更改",
  read_only_runs: "看板以 --read-only 启动:不能删除或还原运行",
  no_run: "已没有运行 {run}",
  unwritable: "设置无法写入 {path}:{error}",
  clients: "实时连接已达上限({n} 个)",
  no_series: "{panel} 中已没有标签为 {tag} 的运行 {run}",
  anew: "该运行已被重新写入:请重新加载",
  gone: "内容已不在原处:{error}",
  no_metric: "超参数中没有指标 {tag}(分组 {group})",
  no_profile: "运行 {run} 没有名为 {session} 的性能剖析",
  profile_unreadable: "无法读取性能剖析 {session}:{error}",
  no_set: "投影中已没有运行 {run} 的嵌入 {name}(步 {step})",
  no_package: "{method} 所需的软件包未安装:pip install 'tapeflow[projector]'",
  few_points: "至少需要 4 个点,现有 {n} 个。请使用 PCA",
  jobs: "进行中的投影过多:请等待其中一个完成,或取消它",
  no_job: "此投影已不存在:请重新计算",
  no_layout: "此投影尚无布局",
  no_label: "{column} 列中没有等于或包含 {label} 的标签",
  leads_out: "文件应位于 {folder} 内;路径 {path} 指向其外部",
  no_file: "无法打开文件 {path}:{error}",
  no_numbers: "{path} 的每一行应有 {width} 个以制表符分隔的数:{error}",
  no_lines: "{path} 应含多行数字,但文件为空",
  no_shape: "{path} 应为多行数字,或符合配置中形状的 float32;形状为 {shape},共 {n} 字节",
  wide: "{path} 最多 {most} 维,实有 {n} 维",
  no_checkpoint: "{name} 的向量没有单独的文件,也没有检查点可取:{error}",
  checkpoint: "{name} 的向量没有单独的文件,检查点 {path} 中也没有:{error}",
  no_picture: "{path} 应为不超过 {most} 字节的图片(PNG、JPEG、GIF、WebP、BMP)",
});

/** The server's words; those it has no translation for after what kind of refusal it is. */
export function refusalText(status: number, { error, note }: Problem): string {
  if (note) return say(note);
  return locale.value === "zh" ? `${t(kindOf(status))} (${error})` : error;
}

/** What `fetch` fails with says nothing to a user, in no language. */
export function unreachable(): Error {
  return new Error(t("unreachable"));
}

function kindOf(status: number) {
  if (status === 429 || status === 503) return "busy";
  if (status >= 500) return "failed";
  if (status === 401 || status === 403) return "forbidden";
  return status === 404 || status === 409 ? "gone" : "wrong";
}
