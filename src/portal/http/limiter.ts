/** Runs tasks, so many at a time at most; the others wait in the order in which they came. */
export type Limiter = <T>(task: () => Promise<T>) => Promise<T>;

/** Requests of the checks to one portal at a time: a sweep over thousands of items must not be felt there. */
export const REQUESTS_AT_A_TIME = 4;

export function limiter(most: number = REQUESTS_AT_A_TIME): Limiter {
  const waiting: (() => void)[] = [];
  let free = most;
  const leave = (): void => {
    const next = waiting.shift();
    // The place is handed over, not freed: a newcomer cannot slip in before who waits.
    if (next) next();
    else free += 1;
  };
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      leave();
    }
  };
}
