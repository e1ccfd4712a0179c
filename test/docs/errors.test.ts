import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { errorTable } from '../../src/model/errors/error-codes';
import { errorsPage } from './errors-page';
import { formattedPage } from './formatted-page';
import { readPage, root, tableRows } from './pages';

const name = 'docs/reference/errors.md';

describe(name, () => {
  it('says what the tables of the code say', () => {
    const page = formattedPage(name, errorsPage());
    if (process.env.PORTOLAN_WRITE_DOCS === '1') writeFileSync(path.join(root, name), page);
    const differs = `${name} is not what the code says. Write it anew with: PORTOLAN_WRITE_DOCS=1 npx jest test/docs/errors.test.ts`;
    expect(readPage(name) === page ? 'as the code has it' : differs).toBe('as the code has it');
  });

  it('has a row for each code, and for each odd answer', () => {
    const rows = tableRows(readPage(name)).map(([first]) => first ?? '');
    const codes = Object.keys(errorTable).map((code) => `\`${code}\``);
    expect(codes.filter((code) => !rows.includes(code))).toEqual([]);
  });
});

describe('what a person is told to do', () => {
  it.each(Object.entries(errorTable))('is a sentence: %s', (_code, { hint }) => {
    // Commands that close a sentence stand without a full stop, to be copied.
    expect(hint).toMatch(/^[A-Z].{10,}([a-z\d)]\.|: portolan [a-z ]+)$/);
  });
});
