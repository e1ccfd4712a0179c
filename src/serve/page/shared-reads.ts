import type { FastifyRequest } from 'fastify';
import type { ReadContext } from '../../service/run/run-sources';
import type { Sources } from '../sources';
import { momentOf } from '../watches';

/** Long enough for all pages that received the same event to ask. @format milliseconds */
const KEPT_MS = 10_000;

/** Limits memory when many different pages are open. */
const KEPT_MAX = 64;

/**
 * Reads what pages show. A page is shown what was read after it was opened, or after the event that it received. Pages
 * at the same URL share a read, and one read follows the other: 200 pages that are opened or reloaded at once cost
 * Temporal and the store as much as two.
 */
export class SharedReads {
  private readonly last = new Map<string, { readonly read: Read; readonly timer: NodeJS.Timeout }>();

  constructor(private readonly sources: Pick<Sources, 'readable'>) {}

  /** What a page shows. @see Sources.readable */
  async read<T>(request: FastifyRequest, work: (sources: ReadContext) => Promise<T>): Promise<T> {
    const { url } = request;
    const since = momentOf(request.headers['portolan-looks-on']) ?? performance.now();
    const last = this.last.get(url)?.read;
    if (last && last.began > since) return (await last.value) as T;
    const read = new Read(last, () => this.sources.readable(work));
    this.keep(url, read);
    return (await read.value) as T;
  }

  private keep(url: string, read: Read): void {
    this.forget(url);
    const [oldest] = this.last.keys();
    if (oldest !== undefined && this.last.size >= KEPT_MAX) this.forget(oldest);
    const timer = setTimeout(() => this.forget(url), KEPT_MS).unref();
    this.last.set(url, { read, timer });
    // A failed read is not shared: the next request reads again.
    read.value.catch(() => this.last.get(url)?.read === read && this.forget(url));
  }

  /** Also clears the timer, which would keep the result in memory. */
  private forget(url: string): void {
    clearTimeout(this.last.get(url)?.timer);
    this.last.delete(url);
  }
}

/** A read that begins when the one before it has ended. */
class Read {
  /** @format milliseconds of performance.now() @default Infinity, until it begins */
  began = Infinity;
  readonly value: Promise<unknown>;

  constructor(before: Read | undefined, work: () => Promise<unknown>) {
    this.value = this.begin(before, work);
  }

  private async begin(before: Read | undefined, work: () => Promise<unknown>): Promise<unknown> {
    await before?.value.catch(() => undefined);
    this.began = performance.now();
    return await work();
  }
}
