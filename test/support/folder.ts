import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from '@jest/globals';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** An empty folder, removed with the suite that asks for it. */
export function aFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'portolan-test-'));
  folders.push(folder);
  return folder;
}
