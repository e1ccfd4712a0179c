import { existsSync } from 'node:fs';

/** Where distributions put it, by their kinds of machine; scripts/test-cluster.mjs installs it. */
const libraries = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketime.so.1`,
);

/**
 * What a program needs in its environment to have its clock put on, or back: all of it, what is compiled included. Timers
 * run as ever. @throws Error that says what to type where the library for that is not there
 */
export function clockAt(hours: number): NodeJS.ProcessEnv {
  const library = libraries.find((each) => existsSync(each));
  if (library === undefined) throw new Error('libfaketime is not there; type: npm run test:cluster');
  const offset = `${hours < 0 ? '-' : '+'}${Math.abs(hours) * 3600}`;
  return { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}
