/** Debiased exponential moving average. */

/**
 * Each value becomes the average of those up to it, older ones weighing less by `weight` a point. Debiased: divided
 * by the sum of the weights, so the start is not pulled to zero. What is not finite is left out and marked apart.
 */
export function smooth(values: Float64Array, weight: number): Float64Array {
  const result = new Float64Array(values.length);
  let sum = 0;
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Number.isFinite(value)) {
      sum = sum * weight + (1 - weight) * value;
      total = total * weight + (1 - weight);
      result[i] = sum / total;
    } else result[i] = value;
  }
  return result;
}
