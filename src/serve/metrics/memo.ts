/** Maximum wait of a scrape. The work continues, and a later scrape gets its result. @format milliseconds */
const WAITS_MS = 6_000;

/**
 * Shares the work between callers and repeats it when its result is no longer fresh, or has failed.
 * @returns resolves when it is done, or when that takes too long for one scrape
 */
export function memo(freshMs: number, work: () => Promise<void>): () => Promise<void> {
  let doneAt = -Infinity;
  let doing: Promise<void> | undefined;
  const begin = (): Promise<void> =>
    work()
      .then(() => void (doneAt = Date.now()))
      .finally(() => (doing = undefined));
  return async () => {
    if (doing === undefined && Date.now() - doneAt <= freshMs) return;
    doing ??= begin();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, WAITS_MS)));
    await Promise.race([doing, late]).finally(() => clearTimeout(timer));
  };
}
