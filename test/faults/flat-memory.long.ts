import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json, RawPortal } from '../portal/raw-portal';

/** The heap of a process of its own: all items together need twenty times as much. @format megabytes */
const HEAP_MB = 128;

describe('the comparison of many items', () => {
  let raw: RawPortal;
  beforeAll(async () => {
    const data = JSON.stringify({ operationalLayers: [{ id: 'a', title: 'x'.repeat(1024 ** 2) }] });
    const pages = Array.from({ length: 1_000 }, (_, at) => `content/items/${idOf(at)}`);
    raw = await RawPortal.start(
      Object.fromEntries(
        pages.flatMap((page, at) => [
          [page, json({ id: idOf(at), type: 'Web Map' })],
          [`${page}/data`, (_: unknown, response: { end: (text: string) => void }) => response.end(data)],
          [`${page}/resources`, json({ total: 0, resources: [] })],
        ]),
      ),
    );
  });
  afterAll(() => raw.stop());

  it('of 1 MB each needs as much memory for 1,000 as for 100', async () => {
    const [few, many] = [await peakOf(100), await peakOf(1_000)];
    expect(many / few).toBeLessThan(1.25);
  });

  /** The most memory that a process has needed to compare so many. @format bytes */
  async function peakOf(count: number): Promise<number> {
    const child = fork(path.join(__dirname, 'compare-many.js'), [raw.url, String(count)], {
      execArgv: [`--max-old-space-size=${HEAP_MB}`],
    });
    const [said] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    const { peak, same } = said as { peak: number; same: number };
    expect(same).toBe(count);
    return peak;
  }
});

const idOf = (at: number): string => at.toString(16).padStart(32, 'a');
