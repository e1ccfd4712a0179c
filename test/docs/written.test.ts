import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { errorTable } from '../../src/model/errors/error-codes';
import { shapesText } from '../cli/json/shapes';
import { existingPage, root } from './pages';
import { apiPage } from './written/api';
import { commandsPage } from './written/commands';
import { configurationPage } from './written/configuration';
import { errorsPage } from './written/errors';
import { itemTypesPage } from './written/item-types';
import { jsonRecordPage } from './written/json-record';
import { metricsPage } from './written/metrics';
import { settingsPage } from './written/settings';

const written: Readonly<Record<string, () => string>> = {
  'docs/reference/api.md': apiPage,
  'docs/reference/commands.md': commandsPage,
  'docs/reference/configuration.md': configurationPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/item-types.md': itemTypesPage,
  'docs/reference/json-record.md': jsonRecordPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/settings.md': settingsPage,
  'test/cli/json/shapes.txt': shapesText,
};

// That a page is formatted as the others is seen to by the check of the format.
describe.each(Object.entries(written))('%s', (name, pageOf) => {
  const page = pageOf();

  it('is what the code generates', () => {
    if (process.env.PORTOLAN_WRITE_DOCS === '1') writeFileSync(path.join(root, name), page);
    const differs = `${name} is not what the code says. Write it anew with: npm run docs`;
    expect(existingPage(name) === page ? 'as the code has it' : differs).toBe('as the code has it');
  });
});

describe('the hint of an error', () => {
  it.each(Object.entries(errorTable))('is a sentence: %s [P20]', (_code, { hint }) => {
    // Commands that close a sentence stand without a full stop, to be copied.
    expect(hint).toMatch(/^[A-Z].{10,}([a-z\d)]\.|: portolan [a-z ]+)$/);
  });
});
