import { afterEach, expect, it } from "vitest";
import { localeChoice } from "../state/appearance";
import { refusalText } from "./refusals";

const note = { code: "few_points", text: "expected at least 4 points; got 2", values: { n: 2 } };

afterEach(() => {
  localeChoice.value = "system";
});

it("says refusals in the language of the page", () => {
  localeChoice.value = "zh";
  expect(refusalText(422, { error: note.text, note })).toBe("至少需要 4 个点，现有 2 个。请使用 PCA");
  localeChoice.value = "en";
  expect(refusalText(422, { error: note.text, note })).toBe(note.text);
});

it("says what kind of refusal it is where there is no translation", () => {
  const problem = { error: "there is no such thing", note: null };
  localeChoice.value = "en";
  expect(refusalText(404, problem)).toBe("there is no such thing");
  localeChoice.value = "zh";
  expect(refusalText(404, problem)).toBe("所请求的内容已不存在 (there is no such thing)");
  expect(refusalText(503, problem)).toContain("服务器正忙");
  expect(refusalText(500, problem)).toContain("服务器出错");
  expect(refusalText(400, problem)).toContain("无法处理");
});
