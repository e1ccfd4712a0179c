import { afterAll, describe, it } from '@jest/globals';
import { sections } from './sections';
import { showRow } from './show-row';
import { World } from './world';

const world = new World();
afterAll(() => world.close());

describe.each(sections)('$title', ({ rows }) => {
  for (const row of rows) it(row.statement, () => showRow(world, row));
});
