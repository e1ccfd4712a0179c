import { afterAll, describe, expect, it } from '@jest/globals';
import { sections } from './sections';
import { showRow } from './show-row';
import { World } from './world';

const world = new World();
afterAll(() => world.close());

describe.each(sections)('$title', ({ rows }) => {
  for (const row of rows) it(row.statement, () => showRow(world, row));
});

describe('the statements', () => {
  it('differ from each other', () => {
    const statements = sections.flatMap(({ rows }) => rows.map(({ statement }) => statement));
    expect(statements.filter((statement, at) => statements.indexOf(statement) !== at)).toEqual([]);
  });
});
