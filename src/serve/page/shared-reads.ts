import type { FastifyRequest } from 'fastify';
import type { ReadContext } from '../../service/run/run-sources';
import type { Sources } from '../sources';
import { momentOf } from '../watches';

/** Long enough for all pages that received the same event to ask. @format milliseconds */
const KEPT_MS = 10_000;

/** Limits memory when many different pages are open. */
const KEPT_MAX = 64;

/** A result, when its reading began, and the timer that forgets it. */
interface Read {
  readonly began: number;
  readonly value: Promise<unknown>;
  readonly timer: NodeJS.Timeout;
}

/**
 * Reads what pages show. A page that is opened is read at once. Open pages at the same URL that received the same event
 * share one read, begun after that event: 200 open pages cost Temporal and the store as much as one.
 */
export class SharedReads {
  private readonly last = new Map<string, Read>();

  constructor(private readonly sources: Pick<Sources, 'readable'>) {}

  /** What a page shows. @see Sources.readable */
  async read<T>(request: FastifyRequest, work: (sources: ReadContext) => Promise<T>): Promise<T> {
    const { url } = request;
    const told = momentOf(request.headers['portolan-looks-on']);
    if (told === undefined) return await this.sources.readable(work);
    const last = this.last.get(url);
    if (last && last.began > told) return (await last.value) as T;
    const value = this.sources.readable(work);
    this.keep(url, value);
    return await value;
  }

  private keep(url: string, value: Promise<unknown>): void {
    this.forget(url);
    const [oldest] = this.last.keys();
    if (oldest !== undefined && this.last.size >= KEPT_MAX) this.forget(oldest);
    const timer = setTimeout(() => this.forget(url), KEPT_MS).unref();
    this.last.set(url, { began: performance.now(), value, timer });
    // A failed read is not shared: the next request reads again.
    value.catch(() => this.last.get(url)?.value === value && this.forget(url));
  }

  /** Also clears the timer, which would keep the result in memory. */
  private forget(url: string): void {
    clearTimeout(this.last.get(url)?.timer);
    this.last.delete(url);
  }
}
