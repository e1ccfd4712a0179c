/**
 * Applies a task to every element, so many at a time at most; results in the order of the elements. Once a task
 * fails no further one is begun, and what had begun has ended when this throws: none is left to race with a repeat.
 */
export async function mapLimited<T, R>(
  elements: readonly T[],
  most: number,
  task: (element: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array<R>(elements.length);
  let next = 0;
  const walk = async (): Promise<void> => {
    for (let i = next++; i < elements.length; i = next++) {
      try {
        results[i] = await task(elements[i] as T);
      } catch (thrown) {
        next = elements.length;
        throw thrown;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(most, elements.length) }, walk));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
  return results;
}
