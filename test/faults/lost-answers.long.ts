import { afterEach, describe, expect, it } from '@jest/globals';
import type { FaultRule } from '../../src/simulator/faults';
import type { Site } from '../support/site';
import { oneSync, openSite, playedOn } from './a-sync';
import { shapes } from './endpoints';
import { readUndisturbed } from './undisturbed';

const { came } = readUndisturbed(process.env['PORTOLAN_TEST_FAULTS_FOLDER'] ?? '');

let site: Site;
afterEach(() => site.close());

/** The answers to these of the requests are lost, though the portal has done the work. */
const lost = (nth: number[], operation: string, params?: Record<string, string>): FaultRule => ({
  match: { method: 'POST', operation, params },
  nth,
  when: 'after',
  do: 'reset',
});

/** One each for the first package and the second; what is repeated where its answer was lost comes once more between. */
const [once, repeated] = [
  [1, 2],
  [1, 3],
];
const ofSource = [lost(once, 'group.export'), lost(repeated, 'item.delete')];
const ofTarget = [
  lost(once, 'item.add'),
  ...[lost([1], 'item.addPart'), lost([1], 'item.commit')],
  lost(repeated, 'group.import', { previewOnly: 'true' }),
  ...[lost(once, 'group.export'), lost(once, 'group.import', { previewOnly: 'false' })],
  lost([1], 'item.delete'),
];

describe('a sync that hears no answer to anything that it writes, for any of its packages', () => {
  it.each(shapes)(
    'comes to what it comes to undisturbed, by one import of each package: %s',
    async (shape) => {
      site = await openSite(shape);
      site.source.faults.add(...ofSource);
      site.target.faults.add(...ofTarget);
      const { parked: _, imports: __, warnings: ___, ...same } = came[shape];
      const { parked, imports, warnings: ____, ...now } = await oneSync(site, shape);
      expect(parked).toBeUndefined();
      expect(imports).toEqual({ unasked: same.parts, decided: 0 });
      expect(JSON.parse(JSON.stringify(now))).toEqual(same);
      // A part, and the joining of all, are writes of their own.
      const writes = shape === 'in parts' ? 3 : 1;
      expect(playedOn(site, 'source')).toBe(2 * same.parts);
      expect(playedOn(site, 'target')).toBe(4 * same.parts + writes);
    },
    600_000,
  );
});
