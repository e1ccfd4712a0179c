import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { formattedPage } from './formatted-page';
import { readPage, root } from './pages';
import { settingsPage } from './settings-page';

const name = 'docs/reference/settings.md';

describe(name, () => {
  it('says what the table of settings says', () => {
    const page = formattedPage(name, settingsPage());
    if (process.env.PORTOLAN_WRITE_DOCS === '1') writeFileSync(path.join(root, name), page);
    const differs = `${name} is not what the code says. Write it anew with: PORTOLAN_WRITE_DOCS=1 npx jest test/docs/settings.test.ts`;
    expect(readPage(name) === page ? 'as the code has it' : differs).toBe('as the code has it');
  });
});
