/** Runs tasks with limited concurrency; others wait in order. */
type Limiter = <T>(task: () => Promise<T>) => Promise<T>;

/** Concurrent check requests per portal, so that checking thousands of items does not overload it. */
export const REQUESTS_AT_A_TIME = 4;

export function limiter(most: number = REQUESTS_AT_A_TIME): Limiter {
  const waiting: (() => void)[] = [];
  let free = most;
  const leave = (): void => {
    const next = waiting.shift();
    // The slot is handed over, so a newcomer cannot overtake a waiting task.
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
