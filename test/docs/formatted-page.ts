import { execFileSync } from 'node:child_process';
import { root } from './pages';

/** A page as `npm run format` would have it; in a process of its own, since jest cannot load the formatter. */
export const formattedPage = (name: string, page: string): string =>
  execFileSync(process.execPath, [require.resolve('prettier/bin/prettier.cjs'), '--stdin-filepath', name], {
    cwd: root,
    input: page,
    encoding: 'utf8',
  });
