import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { formattedPage } from '../docs/formatted-page';
import { readPage, root } from '../docs/pages';
import { Coverage, coveragePage, differences } from './coverage';
import { sections } from './sections';
import { untested } from './untested';
import { World } from './world';

const page = 'docs/internals/interface-coverage.md';
const world = new World();
const coverage = new Coverage(world);
afterAll(() => world.close());

describe.each(sections)('$title', ({ rows }) => {
  for (const row of rows) it(row.statement, () => coverage.show(row));
});

// Last, since it judges what ran before it.
describe(page, () => {
  const rows = sections.flatMap((section) => section.rows);

  it('has rows of different names and statements', () => {
    const ids = rows.map(({ id }) => id);
    const statements = rows.map(({ statement }) => statement);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(statements.filter((statement, at) => statements.indexOf(statement) !== at)).toEqual([]);
  });

  it('says what ran and passed in this run, and nothing else', () => {
    const silent = rows.filter(({ id }) => !coverage.passed.has(id)).map(({ id }) => id);
    const expected = formattedPage(page, coveragePage(sections, untested, coverage.passed));
    if (process.env.PORTOLAN_WRITE_DOCS === '1') writeFileSync(path.join(root, page), expected);
    expect({
      'did not run or pass': silent,
      'differs on the page': differences(readPage(page), expected),
    }).toEqual({
      'did not run or pass': [],
      'differs on the page': [],
    });
  });
});
