/** The fewest columns in which so many pictures of one size fit a box `aspect` times as wide as high: there they are largest. */
export function columnsFor(count: number, width: number, height: number, aspect = 1): number {
  const shape = aspect * (width > 0 && height > 0 ? height / width : 1);
  let columns = 1;
  while (columns < count && (Math.ceil(count / columns) * shape) / columns > 1) columns++;
  return columns;
}
