/** Runs a task for each item, `width` at a time. Returns the results in the order of the items. */
export async function mapInPool<T, R>(
  items: readonly T[],
  width: number,
  task: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) {
      results[index] = await task(item, index);
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return results;
}
