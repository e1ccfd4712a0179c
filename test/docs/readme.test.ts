import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/config/load-config';
import { readPage } from './pages';

describe('README.md', () => {
  it('shows a valid configuration of twelve lines', () => {
    const example = /^```yaml\n([\s\S]*?)^```$/m.exec(readPage('README.md'))?.[1] ?? '';
    const folder = mkdtempSync(path.join(os.tmpdir(), 'portolan-readme-'));
    try {
      const file = path.join(folder, 'portolan.yaml');
      writeFileSync(file, example);
      expect([...loadConfig(file).routes.keys()]).toEqual(['transport']);
      expect(example.trim().split('\n')).toHaveLength(12);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
