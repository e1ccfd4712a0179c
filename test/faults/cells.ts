import { expect, it } from '@jest/globals';
import { playedOn, oneSync, openSite } from './a-sync';
import { type Endpoint, firstOf, titleOf } from './endpoints';
import { type Fault, faults } from './faults';
import { noteCell } from './matrix';
import { readUndisturbed } from './undisturbed';

const folder = process.env['PORTOLAN_TEST_FAULTS_FOLDER'] ?? '';

/** A run that waits a minute for what a lost post does, parks, and waits again. @format milliseconds */
const slow = 600_000;

/** Every fault at the first of each of these calls: a sync each, several side by side. */
export function tryCells(which: (endpoint: Endpoint) => boolean): void {
  const { endpoints } = readUndisturbed(folder);
  const cells = endpoints
    .filter(which)
    .flatMap((endpoint) => faults.map((fault) => ({ endpoint, fault, call: titleOf(endpoint) })));
  // A lost post is waited for; these begin first, beside the many short ones.
  const patient = cells.filter(({ endpoint }) => isPost(endpoint));
  const others = cells.filter(({ endpoint }) => !isPost(endpoint));
  it.concurrent.each([...patient, ...others])(
    '$call: $fault.name',
    async ({ endpoint, fault }) => {
      const began = Date.now();
      let outcome: 'ok' | 'ok*' | 'FAILED' = 'FAILED';
      try {
        outcome = (await survives(endpoint, fault)) ? 'ok*' : 'ok';
      } finally {
        noteCell(folder, endpoint, fault, { outcome, seconds: (Date.now() - began) / 1000 });
      }
    },
    slow,
  );
}

/** Posts whose loss a run cannot tell from work that was never begun. */
const isPost = ({ operation, previewOnly }: Endpoint): boolean =>
  operation === 'group.export' || (operation === 'group.import' && previewOnly !== 'true');

/** One cell, with everything that is promised of it. Returns whether the run parked and was resumed. */
async function survives(endpoint: Endpoint, fault: Fault): Promise<boolean> {
  const { parked: _, imports: __, warnings, ...same } = readUndisturbed(folder).came[endpoint.shape];
  const site = await openSite(endpoint.shape, fault.portal);
  try {
    site[endpoint.side].faults.add({ ...firstOf(endpoint), ...fault.play });
    const { parked, imports, warnings: told, ...came } = await oneSync(site, endpoint.shape);
    expect(playedOn(site, endpoint.side)).toBe(1);
    expect(JSON.parse(JSON.stringify(came))).toEqual(same);
    expect(imports.unasked).toBeLessThanOrEqual(same.parts);
    if (parked) {
      expect(isPost(endpoint)).toBe(true);
      expect(parked.commands[0]).toMatch(/^portolan run resume \S+$/);
    } else {
      expect(imports).toEqual({ unasked: same.parts, decided: 0 });
      expect(told.map(unnamed)).toEqual(warnings.map(unnamed));
    }
    return parked !== undefined;
  } finally {
    await site.close();
  }
}

/** The portals of each site have names of their own. */
const unnamed = (text: string): string => text.replaceAll(/(staging|production)-[0-9a-f]{6}/g, '$1');
