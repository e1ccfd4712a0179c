// Writes the pages that are generated from the code. The test that compares them writes them instead if asked to.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const { status } = spawnSync(process.execPath, [jest, 'test/docs/written.test.ts'], {
  cwd: root,
  env: { ...process.env, PORTOLAN_WRITE_DOCS: '1' },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
