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

interface Link {
  readonly link: string;
  /** From the project's folder. */
  readonly file: string;
  readonly heading?: string;
}

/** Where a page leads to in the project. */
const linksOf = (page: string): Link[] =>
  [...readPage(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((link) => !/^https?:/.test(link))
    .map((link) => {
      const [to = '', heading] = link.split('#');
      return { link, file: to === '' ? page : path.join(path.dirname(page), to), heading };
    });

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
    const broken = linksOf(name)
      .filter(({ file, heading }) => {
        if (!existsSync(path.join(root, file))) return true;
        return heading !== undefined && !headingAnchors(readPage(file)).has(heading);
      })
      .map(({ link }) => link);
    expect(broken).toEqual([]);
  });

  it('names files of the project that are there', () => {
    const named = codeOf(page).flatMap(
      (code) => code.match(/(?<![\w/.])(?:src|test|docs|scripts|bench)\/[\w./-]+/g) ?? [],
    );
    expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it('has no table that is padded', () => {
    const padded = page
      .split('\n')
      .filter((line) => /^\|.*(?:[^\s|] {2,}\||\| {2,}[^\s|])/.test(line) || /^\|[ :]*-{4,}/.test(line));
    expect(padded).toEqual([]);
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
      (script) => !['test', 'format:check', 'prepack'].includes(script),
    );
    expect(scripts.filter((script) => !page.includes(`npm run ${script}`))).toEqual([]);
  });
});

describe('README.md', () => {
  it('leads to every other page, if over some of them', () => {
    const found = new Set(['README.md']);
    for (const page of found) linksOf(page).forEach(({ file }) => pages.includes(file) && found.add(file));
    expect(pages.filter((page) => !found.has(page))).toEqual([]);
  });
});
