import { describe, expect, it } from "vitest";
import type { GraphBlob } from "../../api/schema";
import { SvgBrush } from "./brush";
import { coloring, formatBytes, formatMicros, formatShort } from "./colors";
import { cycles } from "./cycles";
import { drawScene, shortened, sizeOf } from "./drawing";
import { type LayoutInput, layered } from "./layout";
import { Model } from "./model";
import { makeScene } from "./scene";
import { search } from "./search";
import { MOST_SHOWN } from "./series";

/** Nodes as `name op`, edges as pairs of names. */
function blob(nodes: readonly string[], edges: readonly (readonly [string, string])[] = []): GraphBlob {
  const names = nodes.map((one) => one.split(" ")[0]);
  const texts = ["", ...new Set(nodes.map((one) => one.split(" ")[1] ?? "Op"))];
  const zeros = nodes.map(() => 0);
  return {
    kind: "ops",
    problem: "",
    notes: [],
    total: nodes.length,
    lost: 0,
    texts,
    names,
    ops: nodes.map((one) => texts.indexOf(one.split(" ")[1] ?? "Op")),
    devices: zeros,
    dtypes: zeros,
    outputs: zeros,
    parameters: nodes.map((_, i) => i),
    sources: edges.map(([from]) => names.indexOf(from)),
    targets: edges.map(([, to]) => names.indexOf(to)),
    shapes: edges.map(() => 0),
    controls: edges.map(() => 0),
    stats: null,
  };
}

const labels = (model: Model, id = "") => model.level(model.byId.get(id)!).nodes.map(({ label }) => label);

describe("scopes", () => {
  it("are found from names; a node with the name of a scope is inside it", () => {
    const model = new Model(blob(["a/x", "a/y", "a", "b"], [["a/x", "b"]]));
    expect(labels(model)).toEqual(["a", "b"]);
    expect(labels(model, "a")).toEqual(["x", "y", "(a)"]);
    const scope = model.byId.get("a")!;
    expect([scope.count, scope.parameters]).toEqual([3, 3]);
    expect(model.level(model.root).flows).toEqual([
      { from: 0, to: 1, count: 1, shape: "", isControl: false },
    ]);
  });

  it("with one thing in them are that thing", () => {
    const model = new Model(blob(["a/b/c Relu", "d"]));
    expect(labels(model)).toEqual(["a/b/c", "d"]);
    expect(model.leaves[0].parent).toBe(model.root);
  });

  it("have borders that tensors cross", () => {
    const nodes = ["x", "a/p", "a/q", "y"];
    const model = new Model(
      blob(nodes, [
        ["x", "a/p"],
        ["a/p", "a/q"],
        ["a/q", "y"],
      ]),
    );
    const { ins, outs } = model.level(model.byId.get("a")!);
    expect(ins.map(({ inner, far }) => [inner, far.id])).toEqual([[0, "x"]]);
    expect(outs.map(({ inner, far }) => [inner, far.id])).toEqual([[1, "y"]]);
    expect(model.neighbours(model.byId.get("a")!, "inputs").map(({ node }) => node.id)).toEqual(["x"]);
  });

  it("may be nested without end, and names may be anything", () => {
    const deep = Array.from({ length: 1000 }, (_, i) => `s${i}`).join("/");
    const odd = [
      "",
      "/",
      "//",
      "a//b",
      "__proto__/constructor",
      "<script>alert(1)</script>",
      `${deep}/x`,
      `${deep}/y`,
    ];
    const model = new Model(blob(odd.map((name) => name.replaceAll(" ", "_"))));
    expect(model.leaves).toHaveLength(odd.length);
    expect(new Set(model.leaves.map(({ id }) => id)).size).toBe(odd.length);
    for (const leaf of model.leaves) expect(model.around(leaf).length).toBeLessThan(60);
    expect(makeScene(model, new Set(model.byId.keys()), sizeOf).nodes.length).toBeGreaterThan(odd.length - 1);
  });
});

describe("series", () => {
  const many = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}_${i}`);

  it("gather nodes that differ in numbers only", () => {
    const adds = many("add", 6);
    const model = new Model(
      blob(["x", ...adds, "y"], [...adds.map((a) => ["x", a] as const), ["add_0", "y"]]),
    );
    expect(labels(model)).toEqual(["x", "y", "add"]);
    expect(model.byId.get("~add")!.children).toHaveLength(6);
    expect(model.around(model.leaves[1]).map(({ id }) => id)).toEqual(["~add"]);
  });

  it("never make a cycle of a chain", () => {
    const chain: string[] = [];
    for (let i = 0; i < 6; i++) chain.push(`conv_${i} Conv`, `norm_${i} Norm`);
    const names = chain.map((one) => one.split(" ")[0]);
    const model = new Model(
      blob(
        chain,
        names.slice(1).map((name, i) => [names[i], name] as const),
      ),
    );
    expect(labels(model)).toHaveLength(12);
  });

  it("part what is too much to be drawn", () => {
    const letters = (i: number) => [...String(i)].map((digit) => "abcdefghij"[Number(digit)]).join("");
    const model = new Model(blob(Array.from({ length: 3000 }, (_, i) => letters(i))));
    const shown = model.level(model.root).nodes;
    expect(shown.length).toBeLessThanOrEqual(MOST_SHOWN);
    for (const node of shown) expect(model.level(node).nodes.length).toBeLessThanOrEqual(MOST_SHOWN);
  });

  it("are found again by the address", () => {
    const model = new Model(blob([...many("s/add", 6), "s/other"]));
    expect(model.byId.has("s/~add")).toBe(false);
    expect(model.find("s/~add")?.kind).toBe("series");
    expect(model.find("s/~nothing")).toBeUndefined();
  });
});

describe("cycles", () => {
  it("are those on one cycle, where others like them are not on it", () => {
    // As gradients that are summed: each goes back into the scope it came from, but for the last.
    const sums = [0, 1, 2, 3, 4, 5, 6].map((i) => `AddN_${i}`);
    const parts = sums.map((_, i) => `grad/g${i}`);
    const edges = sums.flatMap((sum, i): [string, string][] => [
      [parts[i], sum],
      [sum, parts[i + 1] ?? "end"],
    ]);
    const nodes = [
      ...parts.map((part, i) => `${part} Op${i}`),
      ...sums.map((sum) => `${sum} AddN`),
      "end End",
    ];
    expect(labels(new Model(blob(nodes, edges)))).toEqual(["grad", "AddN_6", "end", "AddN"]);
  });

  it("are named alike", () => {
    const found = cycles([[1], [2], [0, 3], [4], []]);
    expect(found[0]).toBe(found[1]);
    expect(found[1]).toBe(found[2]);
    expect(new Set(found).size).toBe(3);
  });
});

function input(size: number, pairs: readonly (readonly [number, number])[]): LayoutInput {
  return {
    widths: Array.from({ length: size }, () => 80),
    heights: Array.from({ length: size }, () => 30),
    edges: pairs.map(([from, to]) => ({ from, to, fromX: 0, toX: 0 })),
    order: Array.from({ length: size }, (_, i) => i),
    top: [],
    bottom: [],
  };
}

function overlaps({ x, y }: { x: Float64Array; y: Float64Array }): number {
  let count = 0;
  for (let a = 0; a < x.length; a++)
    for (let b = 0; b < a; b++) if (Math.abs(x[a] - x[b]) < 80 && Math.abs(y[a] - y[b]) < 30) count++;
  return count;
}

describe("the layout", () => {
  it("puts every node below what it uses, beside no other", () => {
    const pairs: [number, number][] = [];
    for (let i = 0; i < 200; i++)
      for (const step of [1, 7, 40]) if (i + step < 200) pairs.push([i, i + step]);
    const found = layered(input(200, pairs));
    for (const [from, to] of pairs) expect(found.y[to]).toBeGreaterThan(found.y[from] + 30);
    expect(overlaps(found)).toBe(0);
    expect(found.paths.every((path) => path.length >= 4 && path.every(Number.isFinite))).toBe(true);
  });

  it("draws a chain as a straight line, and no crossing that need not be", () => {
    const chain = layered(
      input(5, [
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 4],
      ]),
    );
    expect(new Set(chain.x).size).toBe(1);
    const pairs = layered(
      input(4, [
        [0, 3],
        [1, 2],
      ]),
    );
    expect(Math.sign(pairs.x[0] - pairs.x[1])).toBe(Math.sign(pairs.x[3] - pairs.x[2]));
  });

  it("takes cycles and loops, with the edge that goes back marked", () => {
    const found = layered(
      input(3, [
        [0, 1],
        [1, 2],
        [2, 0],
        [1, 1],
      ]),
    );
    expect([...found.isBack]).toEqual([0, 0, 1, 0]);
    expect(found.y[2]).toBeGreaterThan(found.y[0]);
    expect(found.paths[2].at(-1)).toBeCloseTo(found.y[0] + 30);
  });

  it("puts nodes without edges beside the others", () => {
    const found = layered(input(50, [[0, 1]]));
    expect(overlaps(found)).toBe(0);
    expect(found.width).toBeLessThan(1000);
  });

  it("keeps ports in the first and the last rank", () => {
    const found = layered({
      ...input(5, [
        [3, 1],
        [0, 1],
        [1, 2],
        [0, 4],
      ]),
      top: [3],
      bottom: [4],
    });
    expect(Math.min(...found.y)).toBe(found.y[3]);
    expect(Math.max(...found.y)).toBe(found.y[4]);
    expect(found.y[0]).toBeGreaterThan(found.y[3]);
  });

  it("routes only so many long edges", () => {
    const pairs: [number, number][] = [];
    for (let i = 0; i + 1 < 600; i++) pairs.push([i, i + 1]);
    for (let i = 0; i < 100; i++) pairs.push([i, 599 - i]);
    const found = layered(input(600, pairs));
    expect(found.isLong.some((one) => one === 1)).toBe(true);
    expect(overlaps(found)).toBe(0);
  });
});

describe("the scene", () => {
  const nodes = ["x", "a/p", "a/q", "a/b/r", "a/b/s", "y"];
  const edges = [
    ["x", "a/p"],
    ["a/p", "a/b/r"],
    ["a/b/r", "a/b/s"],
    ["a/b/s", "a/q"],
    ["a/q", "y"],
  ] as const;

  it("has open scopes around what is in them, with lines up to their borders", () => {
    const model = new Model(blob(nodes, edges));
    const scene = makeScene(model, new Set(["a", "a/b"]), sizeOf);
    expect(scene.nodes).toHaveLength(8);
    const outer = scene.byId.get("a")!;
    for (const id of ["a/p", "a/q", "a/b", "a/b/r"]) {
      const inner = scene.byId.get(id)!;
      expect(inner.x).toBeGreaterThanOrEqual(outer.x);
      expect(inner.y + inner.height).toBeLessThanOrEqual(outer.y + outer.height);
    }
    const entering = scene.edges.filter(({ isCrossing, to }) => isCrossing && to.id === "a/p");
    const arriving = scene.edges.find(({ isCrossing, to }) => !isCrossing && to.id === "a")!;
    expect(entering).toHaveLength(1);
    expect(entering[0].points[0]).toBeCloseTo(arriving.points.at(-2)!);
  });

  it("marks, but does not draw, what feeds everything", () => {
    const users = Array.from({ length: 12 }, (_, i) => `u${"abcdefghijkl"[i]} Op${i}`);
    const pairs = users.map((one) => ["rate", one.split(" ")[0]] as const);
    const scene = makeScene(new Model(blob(["rate", ...users], pairs)), new Set(), sizeOf);
    expect(scene.edges).toHaveLength(0);
    expect(scene.nodes.filter(({ hidesInputs }) => hidesInputs)).toHaveLength(12);
  });

  it("is drawn as an SVG in which names are only text", () => {
    const model = new Model(
      blob(["<script>alert(1)</script>", "b&c"], [["<script>alert(1)</script>", "b&c"]]),
    );
    const scene = makeScene(model, new Set(), sizeOf);
    const brush = new SvgBrush();
    const look = {
      ground: "#fff",
      raised: "#eee",
      text: "#000",
      quiet: "#555",
      line: "#ccc",
      edge: "#aaa",
      accent: "#00f",
      isDark: false,
    };
    const window = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
    const colors = coloring(
      "op",
      model,
      scene.nodes.map(({ node }) => node),
      false,
    );
    drawScene(brush, scene, { look, color: colors.of, selected: "", found: new Set(), scale: 1, window });
    const text = brush.finish(scene.width, scene.height, 10, "#fff");
    expect(text).not.toContain("<script");
    expect(text).not.toContain("NaN");
    expect(
      new DOMParser().parseFromString(text, "image/svg+xml").querySelectorAll("text").length,
    ).toBeGreaterThan(2);
  });
});

it("searches names and ops, scopes first", () => {
  const model = new Model(
    blob(["conv_1/kernel Variable", "conv_1/Conv2D Conv2D", "dense/MatMul MatMul", "dense/bias Variable"]),
  );
  expect(search(model, "conv_1").nodes.map(({ id }) => id)).toEqual([
    "conv_1",
    "conv_1/kernel",
    "conv_1/Conv2D",
  ]);
  expect(search(model, "^Variable$").total).toBe(2);
  expect(search(model, "dense/.*Mul").nodes.map(({ id }) => id)).toEqual(["dense/MatMul"]);
  expect(search(model, "(").total).toBe(0);
  expect(search(model, " ").nodes).toEqual([]);
});

it("says numbers shortly", () => {
  expect([999, 25_636_712, 12_345, 2e9].map(formatShort)).toEqual(["999", "25.6M", "12.3k", "2.0G"]);
  expect([12, 1500, 2_500_000].map(formatMicros)).toEqual(["12 µs", "1.50 ms", "2.50 s"]);
  expect([12, 1500, 2_500_000].map(formatBytes)).toEqual(["12 B", "1.50 kB", "2.50 MB"]);
  expect(shortened("a".repeat(50)).length).toBe(30);
});
