import { describe, expect, it } from '@jest/globals';
import { commands } from './commands';
import { codeOf, pages, readPage } from './pages';

const flagsIn = (text: string): string[] => text.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];

const known = new Set(['--help', '--version', ...commands.flatMap(({ flags }) => flags)]);

/** Lines that give flags to another program. */
const others =
  /docker|kubectl|systemd-run|systemctl|--from-file|npm install|useradd|install --directory|openssl|curl|prettier|eslint|jest|Temporal CLI|temporal operator|temporal workflow|temporal worker|temporal schedule|--versioning-override|--query|--start-time|temporal-sql-tool|temporal-server|--service frontend|allow-no-auth|aws s3|--type Keyword|temporal cloud|tcld|=Keyword|npm run bench/;

/** Flags that stand behind a command of ours, each with that command. */
const typed = (code: string) =>
  [...code.matchAll(/\bportolan ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)([^\n#]*)/g)].flatMap(
    ([, words = '', rest = '']) => {
      const command = commands.find(({ path }) => `portolan ${words} `.startsWith(`${path} `));
      return command === undefined
        ? []
        : flagsIn(rest)
            .filter((flag) => flag !== '--help' && !command.flags.includes(flag))
            .map((flag) => ({ command: command.path, flag }));
    },
  );

const userPages = pages.filter((page) => !page.startsWith('docs/internals/') && page !== 'CONTRIBUTING.md');

describe('a page for users', () => {
  it('names existing flags', () => {
    const unknown = userPages.flatMap((name) =>
      readPage(name)
        .split('\n')
        .filter((line) => !others.test(line))
        .flatMap(flagsIn)
        .filter((flag) => !known.has(flag))
        .map((flag) => `${name}: ${flag}`),
    );
    expect(unknown).toEqual([]);
  });

  it('gives commands their own flags', () => {
    expect(
      userPages.flatMap((name) =>
        codeOf(readPage(name))
          .flatMap(typed)
          .map((each) => ({ name, ...each })),
      ),
    ).toEqual([]);
  });
});

describe('the page on the simulated portal', () => {
  it('names the flags of its command', () => {
    const flags = commands.find((command) => command.path === 'portolan simulate')?.flags ?? [];
    const told = new Set(flagsIn(readPage('docs/internals/simulator.md')));
    expect([...told].sort()).toEqual([...flags].sort());
  });
});
