import { expect, it } from "vitest";
import { toCsv } from "./csv";
import { sortedRows } from "./sorting";

it("sorts numbers by value and texts naturally", () => {
  const rows = [
    ["b10", "9"],
    ["b2", "10"],
    ["a", "-1"],
  ];
  expect(sortedRows(rows, 1, false).map((row) => row[1])).toEqual(["-1", "9", "10"]);
  expect(sortedRows(rows, 0, true).map((row) => row[0])).toEqual(["b10", "b2", "a"]);
});

it("quotes, and disarms formulas", () => {
  expect(
    toCsv([
      ['a"b', "c,d"],
      ["=SUM(A1)", "-1.5"],
      ["-x", "+cmd"],
      ["-2+3+cmd|' /C calc'!A0", "+1.5e-3"],
      ["-Infinity", "\n=1"],
    ]),
  ).toBe(
    '"a""b","c,d"\r\n\'=SUM(A1),-1.5\r\n\'-x,\'+cmd\r\n\'-2+3+cmd|\' /C calc\'!A0,+1.5e-3\r\n-Infinity,"\'\n=1"\r\n',
  );
});
