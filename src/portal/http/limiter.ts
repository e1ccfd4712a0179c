/** Runs tasks, so many at a time at most; the others wait in the order in which they came. */
export type Limiter = <T>(task: () => Promise<T>) => Promise<T>;

/** Requests of the checks to one portal at a time: a sweep over thousands of items must not be felt there. */
export const REQUESTS_AT_A_TIME = 4;

export function limiter(most: number = REQUESTS_AT_A_TIME): Limiter {
  const line: (() => void)[] = [];
  let free = most;
  const leave = (): void => {
    const next = line.shift();
    // The place is handed over, not freed: a newcomer cannot slip in before who waits.
    if (next) next();
    else free += 1;
  };
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await task();
    } finally {
      leave();
    }
  };
}

/**
 * Applies a task to every element, so many at a time at most; results in the order of the elements. Once
 * a task fails no further one is begun.
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
  await Promise.all(Array.from({ length: Math.min(most, elements.length) }, walk));
  return results;
}
