import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import Table from 'cli-table3';
import { parse, stringify } from 'yaml';
import { emptyGroupId, manyGroupId } from '../../src/simulator/seed/seeds';
import { freePorts } from '../../src/temporal/dev-server/address';
import { Portolan } from '../support/child';
import { Line } from '../support/line';
import { until } from '../support/until';
import { Site } from '../support/site';
import { type Sample, stretches, watchMemory } from './memory';
import { openPage, type Seen } from './open-page';

/** `--pages` and `--minutes` of `npm run test:soak`. */
const pages = Number(process.env['PORTOLAN_SOAK_PAGES'] ?? 200);
const minutes = Number(process.env['PORTOLAN_SOAK_MINUTES'] ?? 5);
const FEW = 5;
/** What so many pages may cost more than a few, since no two stretches of time are the same. */
const COST_MAX = 1.2;
/** What the last third may have resident, of what the second had. */
const GROWTH_MAX = 1.25;

jest.setTimeout((minutes + 10) * 2 * 60_000);

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** What a stretch of time with so many pages has cost. */
interface Stretch {
  readonly open: number;
  readonly seen: readonly Seen[];
  /** What Temporal has answered. @format bytes a second */
  readonly answered: number;
}

describe(`${pages} pages that are open for ${minutes} min while one sync follows the other`, () => {
  let site: Site;
  let line: Line;
  let server: Portolan;
  let few: Stretch;
  let many: Stretch;
  let samples: Sample[];
  let syncs = 0;

  beforeAll(async () => {
    const [port] = await freePorts(1);
    site = await Site.open({
      listed: true,
      source: { seed: 'many', seedItems: 5, jobPolls: 4 },
      target: { seed: 'empty', jobPolls: 4 },
      groups: { source: manyGroupId, target: emptyGroupId },
      config: { serve: { address: `127.0.0.1:${port}`, open: true } },
    });
    line = await Line.to(site.config.temporal.address);
    const file = path.join(site.folder, 'server.yaml');
    const given = parse(readFileSync(site.config.path, 'utf8')) as { readonly temporal: object };
    const temporal = { ...given.temporal, address: line.address };
    writeFileSync(file, stringify({ ...given, temporal }));
    server = new Portolan(['serve', '--config', file], { cwd: site.folder });
    await server.says('serving at');
    const url = `http://127.0.0.1:${port}`;

    const over = new AbortController();
    const syncing = (async () => {
      for (; !over.signal.aborted; syncs += 1) await (await site.start(site.route({ full: true }))).result();
    })();
    const stretch = async (open: number, forMs: number): Promise<Stretch> => {
      const left = new AbortController();
      const seen = Array.from({ length: open }, (): Seen => ({ events: 0, looks: 0, refused: [] }));
      const opened = seen.map((each, number) => openPage(url, number, left.signal, each));
      await until('all pages to be told', () => seen.every(({ events }) => events > 1));
      const [before, at] = [line.answered, performance.now()];
      await sleep(forMs);
      const answered = (line.answered - before) / ((performance.now() - at) / 1_000);
      left.abort();
      await Promise.all(opened);
      return { open, seen, answered };
    };
    few = await stretch(FEW, Math.min(60_000, minutes * 30_000));
    const began = performance.now();
    const done = new AbortController();
    const watching = watchMemory(server.child.pid!, () => performance.now() - began, done.signal);
    many = await stretch(pages, minutes * 60_000);
    done.abort();
    samples = await watching;
    over.abort();
    await syncing;
    const table = new Table({ style: { head: [], border: [] } });
    table.push(['pages', 'events', 'looks', 'answers of Temporal, bytes a second']);
    const total = (seen: readonly Seen[], what: 'events' | 'looks'): number =>
      seen.reduce((sum, each) => sum + each[what], 0);
    for (const { open, seen, answered } of [few, many])
      table.push([open, total(seen, 'events'), total(seen, 'looks'), Math.round(answered)]);
    say(table.toString());
    say(
      `${syncs} syncs meanwhile; ${pages} pages cost ${(many.answered / few.answered).toFixed(2)} of ${FEW}`,
    );
    for (const { resident, open } of thirds())
      say(`resident ${Math.round(resident / 2 ** 20)} MB, ${open} files and connections`);
  });
  afterAll(async () => {
    server?.child.kill('SIGTERM');
    await server?.ended;
    line?.cut();
    await site?.close();
  });

  const thirds = (): Sample[] => stretches(samples, 0, minutes * 60_000, 3);

  it('show each of them what happens, and refuse none', () => {
    for (const { seen } of [few, many])
      for (const { events, looks, refused } of seen) {
        expect(refused).toEqual([]);
        expect(Math.min(events, looks)).toBeGreaterThan(1);
      }
  });

  it('cost Temporal what a few do', () => {
    expect(many.answered / few.answered).toBeLessThan(COST_MAX);
  });

  it('leave the memory of the server flat', () => {
    const [, second, third] = thirds();
    expect(third!.resident / second!.resident).toBeLessThan(GROWTH_MAX);
    expect(third!.open - second!.open).toBeLessThan(pages / 10);
  });
});
