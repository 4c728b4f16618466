import { describe, expect, it } from "vitest";
import { typeset } from "./messages";

describe("typeset", () => {
  it("sets Chinese with wide marks", () => {
    expect(typeset("360 个中 {n} 正确;最常误认为 six:4,共(两)次")).toBe(
      "360 个中 {n} 正确；最常误认为 six:4，共（两）次",
    );
    expect(typeset("显示隐藏的运行({n})")).toBe("显示隐藏的运行（{n}）");
  });

  it("leaves code and numbers alone", () => {
    const code = "以 map(load, num_parallel_calls=tf.data.AUTOTUNE) 加载 fit(..., workers=4)";
    expect(typeset(code)).toBe(code);
    expect(typeset("缩放 (W) {a}:{b}, 3:1")).toBe("缩放 (W) {a}:{b}, 3:1");
  });
});
