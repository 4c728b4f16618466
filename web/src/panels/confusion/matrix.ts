/** A confusion matrix: its counts, what they say of each class, and the orders its classes can stand in. */

import type { ConfusionBlob } from "../../api/schema";
import { naturally } from "../../state/order";

export type Mode = "counts" | "row" | "column";
export type Sort = "index" | "name" | "support" | "error" | "errors";

/** A true class and the class it was taken for. */
export interface Pair {
  row: number;
  column: number;
}

export class Matrix {
  readonly names: readonly string[];
  readonly size: number;
  /** Row by row; rows are true classes. */
  readonly counts: Float64Array;
  /** How many examples are of a class. */
  readonly support: Float64Array;
  /** How many were taken for it. */
  readonly predicted: Float64Array;
  /** How many were rightly taken for it. */
  readonly right: Float64Array;
  readonly total: number;
  readonly accuracy: number;
  /** The largest count. */
  readonly most: number;
  /** The pair of different classes that was mixed up most often, if any was. */
  readonly worst: Pair | null;
  /** The class that each is most often wrongly taken for; -1 if it never is. */
  private readonly mistakes: Int32Array;

  constructor({ names, gaps, counts }: Pick<ConfusionBlob, "names" | "gaps" | "counts">) {
    const size = names.length;
    this.names = names;
    this.size = size;
    this.counts = new Float64Array(size * size);
    this.support = new Float64Array(size);
    this.predicted = new Float64Array(size);
    this.right = new Float64Array(size);
    this.mistakes = new Int32Array(size).fill(-1);
    let [place, total, hits, most] = [0, 0, 0, 0];
    for (let i = 0; i < counts.length; i++) {
      place += gaps[i];
      const count = counts[i];
      const row = Math.floor(place / size);
      const column = place % size;
      this.counts[place] = count;
      this.support[row] += count;
      this.predicted[column] += count;
      total += count;
      most = Math.max(most, count);
      if (row === column) {
        this.right[row] = count;
        hits += count;
      } else if (this.mistakes[row] < 0 || count > this.counts[row * size + this.mistakes[row]]) {
        this.mistakes[row] = column;
      }
    }
    this.total = total;
    this.accuracy = hits / total;
    this.most = most;
    const pairs = names.flatMap((_, row) => this.takenFor(row) ?? []);
    this.worst = pairs.reduce<Pair | null>((a, b) => (a && this.at(a) >= this.at(b) ? a : b), null);
  }

  at({ row, column }: Pair): number {
    return this.counts[row * this.size + column];
  }

  /** What part of a true class was taken for another; NaN if there is none of it. */
  shareOfRow(pair: Pair): number {
    return this.at(pair) / this.support[pair.row];
  }

  /** What part of what was taken for a class is of another. */
  shareOfColumn(pair: Pair): number {
    return this.at(pair) / this.predicted[pair.column];
  }

  /** How strongly a cell is coloured, from 0 to 1. */
  weight(pair: Pair, mode: Mode): number {
    const count = this.at(pair);
    if (count === 0) return 0;
    if (mode === "counts") return count / this.most;
    return mode === "row" ? count / this.support[pair.row] : count / this.predicted[pair.column];
  }

  recall(index: number): number {
    return this.right[index] / this.support[index];
  }

  precision(index: number): number {
    return this.right[index] / this.predicted[index];
  }

  /** NaN for a class that is neither there nor predicted. */
  f1(index: number): number {
    return (2 * this.right[index]) / (this.support[index] + this.predicted[index]);
  }

  /** What a class is most often wrongly taken for. */
  takenFor(index: number): Pair | null {
    const column = this.mistakes[index];
    return column < 0 ? null : { row: index, column };
  }

  /** The classes, those first that the order asks for; equal ones stay as they were logged. */
  order(sort: Sort): Uint32Array {
    const all = Uint32Array.from(this.names, (_, i) => i);
    const by = (key: (index: number) => number) => {
      const keys = Float64Array.from(all, key);
      return all.sort((a, b) => keys[b] - keys[a] || a - b);
    };
    switch (sort) {
      case "name":
        return all.sort((a, b) => naturally(this.names[a], this.names[b]) || a - b);
      case "support":
        return by((i) => this.support[i]);
      // Of a class without examples nothing is wrong.
      case "error":
        return by((i) => (this.support[i] ? 1 - this.recall(i) : -1));
      case "errors":
        return by((i) => this.support[i] - this.right[i]);
      default:
        return all;
    }
  }
}

/** 93.1 %; a dash where there is nothing to take a part of. */
export function formatShare(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : "–";
}

/** The matrix as it is shown, with the names of its classes. */
export function matrixRows(matrix: Matrix, order: Uint32Array, corner: string): string[][] {
  const names = Array.from(order, (i) => matrix.names[i]);
  const rows = Array.from(order, (row) => [
    matrix.names[row],
    ...Array.from(order, (column) => String(matrix.at({ row, column }))),
  ]);
  return [[corner, ...names], ...rows];
}
