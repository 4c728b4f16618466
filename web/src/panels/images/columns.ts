/** The fewest columns in which so many pictures of one size fit a square: there they are largest. */
export function columnsFor(count: number, width: number, height: number): number {
  const shape = width > 0 && height > 0 ? height / width : 1;
  let columns = 1;
  while (columns < count && (Math.ceil(count / columns) * shape) / columns > 1) columns++;
  return columns;
}
