import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { SharedReads } from '../../src/serve/page/shared-reads';
import { type Watched, Watches } from '../../src/serve/watches';
import { until } from '../support/until';

const never = new AbortController().signal;

/** A thing that changes when the test says so. */
class Thing {
  looks = 0;
  state = 'begun';
  failing = false;

  readonly watched: Watched<string> = {
    key: 'thing',
    event: 'thing',
    everyMs: 5,
    look: () => {
      this.looks += 1;
      return this.failing ? Promise.reject(new Error('out of reach')) : Promise.resolve(this.state);
    },
    isOver: (seen) => seen === 'over',
  };
}

const all = async (events: AsyncGenerator<string>): Promise<string[]> => {
  const seen: string[] = [];
  for await (const event of events) seen.push(event);
  return seen;
};
const words = (event: string): string => event.replace(/^id: .*\n/, '');

describe('a watch', () => {
  it('looks as often for 200 listeners as for one, and each hears everything', async () => {
    const watches = new Watches();
    const thing = new Thing();
    const streams = Array.from({ length: 200 }, () => all(watches.open(thing.watched, 'somebody', never)));
    await until('a look', () => thing.looks > 3);
    const [before, at] = [thing.looks, performance.now()];
    thing.state = 'over';
    const told = await Promise.all(streams);
    const spent = performance.now() - at;
    expect(thing.looks - before).toBeLessThanOrEqual(2 + spent / thing.watched.everyMs);
    for (const seen of told)
      expect(seen.map(words)).toEqual([
        'event: thing\ndata: "begun"\n\n',
        'event: thing\ndata: "over"\n\n',
        'event: over\ndata: {}\n\n',
      ]);
  });

  it('ends with its last listener, and starts again with the next', async () => {
    const watches = new Watches();
    const thing = new Thing();
    const gone = new AbortController();
    const stream = watches.open(thing.watched, 'somebody', gone.signal);
    expect(words((await stream.next()).value as string)).toBe('event: thing\ndata: "begun"\n\n');
    gone.abort();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    const { looks } = thing;
    thing.state = 'over';
    expect(await all(watches.open(thing.watched, 'somebody', never))).toHaveLength(2);
    expect(thing.looks).toBe(looks + 1);
  });

  it('sends a problem without internals while it cannot look', async () => {
    const watches = new Watches();
    const thing = new Thing();
    thing.failing = true;
    const stream = watches.open(thing.watched, 'somebody', never);
    const { value } = (await stream.next()) as { value: string };
    expect(words(value)).toMatch(/^event: problem\ndata: \{"type":"urn:portolan:error:INTERNAL"/);
    expect(value).not.toContain('out of reach');
    thing.failing = false;
    thing.state = 'over';
    expect((await all(stream)).map(words).at(-1)).toBe('event: over\ndata: {}\n\n');
  });

  it('has at most 1000 listeners, and none once the server closes', async () => {
    const watches = new Watches();
    const thing = new Thing();
    // Whoever goes away before they read anything leaves nothing behind.
    const gone = new AbortController();
    const one = (each: number): string => `caller ${each % 5}`;
    for (let each = 0; each < 1_000; each += 1) watches.open(thing.watched, one(each), gone.signal);
    gone.abort();
    const streams = Array.from({ length: 1_000 }, (_, each) => watches.open(thing.watched, one(each), never));
    expect(() => watches.open(thing.watched, 'another', never)).toThrow('1000 streams are open.');
    const ended = Promise.all(streams.map(all));
    await until('a look', () => thing.looks > 1);
    watches.close();
    expect((await ended).every((seen) => seen.length <= 1)).toBe(true);
    expect(watches.open(thing.watched, 'somebody', AbortSignal.abort())).toBeDefined();
  });
});

it('a caller has at most 200 streams', () => {
  const watches = new Watches();
  const thing = new Thing();
  try {
    for (let each = 0; each < 200; each += 1) watches.open(thing.watched, 'a dashboard', never);
    expect(() => watches.open(thing.watched, 'a dashboard', never)).toThrow(
      'a dashboard has 200 open streams.',
    );
    expect(watches.open(thing.watched, 'somebody', never)).toBeDefined();
  } finally {
    watches.close();
  }
});

describe('a reloaded page', () => {
  const from = (headers: object, url = '/'): FastifyRequest => ({ url, headers }) as FastifyRequest;
  /** Of an event that was just told. */
  const eventId = async (): Promise<string> => {
    const [event = ''] = await all(
      new Watches().open({ ...new Thing().watched, isOver: () => true }, 'somebody', never),
    );
    return /^id: (.*)$/m.exec(event)?.[1] ?? '';
  };

  it('is read once for all listeners of one event', async () => {
    let [reads, state] = [0, 'begun'];
    const shared = new SharedReads({ readable: (work) => work({} as never) });
    const read = (id?: string, url?: string): Promise<string> =>
      shared.read(from({ 'portolan-looks-on': id }, url), () => {
        reads += 1;
        return state === 'away' ? Promise.reject(new Error(state)) : Promise.resolve(state);
      });
    const together = (id: string): Promise<string[]> =>
      Promise.all(Array.from({ length: 200 }, () => read(id)));
    const first = await eventId();
    expect(new Set(await together(first))).toEqual(new Set(['begun']));
    expect(reads).toBe(1);
    state = 'over';
    expect(new Set(await together(await eventId()))).toEqual(new Set(['over']));
    // Whoever is late is shown the newest.
    expect(await read(first)).toBe('over');
    expect(reads).toBe(2);
    expect(await Promise.all([read(), read('told by another server 1'), read(first, '/runs')])).toEqual([
      ...['over', 'over', 'over'],
    ]);
    expect(reads).toBe(4);
    const later = await eventId();
    state = 'away';
    await expect(read(later)).rejects.toThrow('away');
    state = 'back';
    expect(await read(later)).toBe('back');
  });

  it('is read at most twice for all who open it at once', async () => {
    let [reads, state] = [0, 'before'];
    let end = (): void => undefined;
    const slow = new Promise<void>((resolve) => (end = resolve));
    const shared = new SharedReads({ readable: (work) => work({} as never) });
    const read = (): Promise<string> =>
      shared.read(from({}), async () => {
        reads += 1;
        const seen = state;
        await slow;
        return seen;
      });
    const first = read();
    await until('the first read to begin', () => reads === 1);
    state = 'after';
    const others = Promise.all(Array.from({ length: 200 }, read));
    end();
    expect([await first, new Set(await others), reads]).toEqual(['before', new Set(['after']), 2]);
  });

  it('is kept only among the newest', async () => {
    let reads = 0;
    const shared = new SharedReads({ readable: (work) => work({} as never) });
    const id = await eventId();
    const read = (url: string): Promise<number> =>
      shared.read(from({ 'portolan-looks-on': id }, url), () => Promise.resolve((reads += 1)));
    for (let page = 0; page < 200; page += 1) await read(`/runs?search=${page}`);
    expect(await read('/runs?search=199')).toBe(200);
    expect(await read('/runs?search=0')).toBe(201);
  });
});
