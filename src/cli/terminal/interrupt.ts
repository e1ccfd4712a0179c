import { once } from 'node:events';

/** Resolves on the first request to end this process. A second request ends it at once. */
export async function untilInterrupted(): Promise<void> {
  const first = new AbortController();
  const { signal } = first;
  await Promise.race([once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })]);
  first.abort();
}
