/** The words of the mesh panel. */

import { messages } from "../../i18n/messages";

export const t = messages({
  drawing: ["Surfaces as", "曲面显示为"],
  drawingTip: [
    "How meshes with triangles are drawn; clouds are always points",
    "含三角面的网格如何绘制;点云始终显示为点",
  ],
  surface: ["Surface", "曲面"],
  wires: ["Wireframe", "线框"],
  points: ["Points", "点"],
  light: ["Light", "光照"],
  lightTip: [
    "Light from the viewer; without it colours are as they were logged",
    "从观察者方向照明;关闭后颜色与记录一致",
  ],
  together: ["Turn together", "同步视角"],
  togetherTip: ["All cards are seen from the same side", "所有卡片使用相同的视角"],
  pointSize: ["Point size", "点大小"],
  pointSizeTip: ["How large points are, in pixels", "点的大小(像素)"],
  auto: ["auto", "自动"],
  options: ["More options", "更多选项"],
  reset: ["Reset all views (one: double-click, or 0)", "重置所有视角(单个:双击或按 0)"],
  canvas: [
    "{name}: {what}. Drag to turn, Shift and drag to move, wheel to zoom; or arrow keys, Shift and arrow keys, + and −; 0 shows all.",
    "{name}:{what}。拖动旋转,按住 Shift 拖动平移,滚轮缩放;或使用方向键、Shift 加方向键、+ 和 −;0 显示全部。",
  ],
  cloud: ["{points} points", "{points} 个点"],
  body: ["{points} points, {triangles} triangles", "{points} 个点,{triangles} 个三角面"],
  cut: ["{n} of {total} points are drawn", "绘制了 {total} 个点中的 {n} 个"],
  cutTriangles: ["{n} of {total} triangles are drawn", "绘制了 {total} 个三角面中的 {n} 个"],
  dropped: ["{n} triangles of points that are not there are left out", "忽略了 {n} 个引用不存在的点的三角面"],
  nothing: ["There is no point that could be drawn.", "没有可绘制的点。"],
  noWebgl: [
    "This browser cannot draw meshes: it has no WebGL 2, or it is switched off. They can be saved as PLY files.",
    "此浏览器无法绘制网格:不支持 WebGL 2 或已被关闭。可将其保存为 PLY 文件。",
  ],
  savePng: ["Save the view as PNG", "将视图保存为 PNG"],
  savePly: ["Save the mesh as PLY", "将网格保存为 PLY"],
  downloadTip: ["Save this mesh or the view of it", "保存此网格或其视图"],
  sample: ["Sample", "样本"],
  sampleTip: ["Which of the {n} meshes of this step", "此步的 {n} 个网格中的哪一个"],
  hint: [
    'Log them with tf.summary.mesh("shape", vertices, faces, colors, step=step): arrays of shape [n, 3].',
    '使用 tf.summary.mesh("shape", vertices, faces, colors, step=step) 记录:形状为 [n, 3] 的数组。',
  ],
});
