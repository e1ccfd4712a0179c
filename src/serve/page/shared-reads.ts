import type { FastifyRequest } from 'fastify';
import type { RunSources } from '../../service/run/run-sources';
import type { Sources } from '../sources';
import { momentOf } from '../watches';

/** By then whoever was told of the same has asked. @format milliseconds */
const KEPT_MS = 10_000;

/** Pages that so many look on at together are fewer; whoever asks for ever other ones keeps no more. */
const KEPT_MAX = 64;

/** What was read, when that began, and what forgets it in time. */
interface Read {
  readonly began: number;
  readonly value: Promise<unknown>;
  readonly timer: NodeJS.Timeout;
}

/**
 * What pages show. Whoever comes to a page is read what it shows; for all who look on at the same page and were told of
 * the same event it is read once, after that event: 200 open pages cost Temporal and the store what one does.
 */
export class SharedReads {
  private readonly last = new Map<string, Read>();

  constructor(private readonly sources: Pick<Sources, 'readable'>) {}

  /** What a page shows. @see Sources.readable */
  async read<T>(request: FastifyRequest, work: (sources: RunSources) => Promise<T>): Promise<T> {
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
    // What could not be read is tried again by the next who asks.
    value.catch(() => this.last.get(url)?.value === value && this.forget(url));
  }

  /** Its timer too: that would hold what was read for as long. */
  private forget(url: string): void {
    clearTimeout(this.last.get(url)?.timer);
    this.last.delete(url);
  }
}
