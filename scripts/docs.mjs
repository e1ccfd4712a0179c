// Writes the pages that are written from the code: the tests that hold them write them when they are asked to.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const suites = ['test/docs/written.test.ts', 'test/interface/interface.test.ts'];
const { status } = spawnSync(process.execPath, [jest, ...suites], {
  cwd: root,
  env: { ...process.env, PORTOLAN_WRITE_DOCS: '1' },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
