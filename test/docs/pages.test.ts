import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import manifest from '../../package.json';
import { commands } from './commands';
import { codeOf, pages, readPage, root } from './pages';

const headingAnchors = (page: string): Set<string> =>
  new Set(
    [...page.matchAll(/^#+ (.+)$/gm)].map((match) =>
      (match[1] ?? '')
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );

/** Commands as they are typed: `portolan sync`, `portolan run list`, and `portolan run`, which has others below it. */
const typed = new Set(commands.flatMap(({ path: name }) => [name, name.split(' ').slice(0, 2).join(' ')]));

/** What stands behind `portolan` in code; a second word belongs to the command `run` only. */
const commandsNamed = (code: string): string[] =>
  [...code.matchAll(/\bportolan (run [a-z]+|[a-z][a-z-]*)/g)].map((match) => match[0]);

describe.each(pages)('%s', (name) => {
  const page = readPage(name);

  it('names scripts that package.json has', () => {
    const named = [...page.matchAll(/\bnpm run ([\w:]+)/g)].map((match) => match[1] ?? '');
    expect(named.filter((script) => !(script in manifest.scripts))).toEqual([]);
  });

  it('names commands that the program has', () => {
    const named = codeOf(page).flatMap(commandsNamed);
    expect(named.filter((command) => !typed.has(command))).toEqual([]);
  });

  it('links to files and headings that are there', () => {
    const links = [...page.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
    const broken = links
      .filter((link) => !/^https?:/.test(link))
      .filter((link) => {
        const [file = '', heading] = link.split('#');
        const target = file === '' ? name : path.join(path.dirname(name), file);
        if (!existsSync(path.join(root, target))) return true;
        return heading !== undefined && !headingAnchors(readPage(target)).has(heading);
      });
    expect(broken).toEqual([]);
  });

  it('names files of the project that are there', () => {
    const named = codeOf(page).flatMap(
      (code) => code.match(/(?<![\w/.])(?:src|test|docs|scripts|bench)\/[\w./-]+/g) ?? [],
    );
    expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it('names no place or person of the machine that it was written on', () => {
    const places = [root, os.homedir(), os.tmpdir(), `@${os.hostname()}`].filter((place) => place.length > 1);
    expect(places.filter((place) => page.includes(place))).toEqual([]);
    expect(page).not.toMatch(/\/(?:home|Users|root)\//);
  });
});

describe('CONTRIBUTING.md', () => {
  it('names every command that tests, measures or makes something', () => {
    const page = readPage('CONTRIBUTING.md');
    const scripts = Object.keys(manifest.scripts).filter(
      (script) => script !== 'test' && script !== 'format:check',
    );
    expect(scripts.filter((script) => !page.includes(`npm run ${script}`))).toEqual([]);
  });
});

describe('README.md', () => {
  it('leads to every other page', () => {
    const readme = readPage('README.md');
    expect(pages.filter((page) => page !== 'README.md' && !readme.includes(`(${page})`))).toEqual([]);
  });
});
