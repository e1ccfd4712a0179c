import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import manifest from '../../package.json';
import { commands } from './commands';
import { codeOf, pages, readPage, root } from './pages';

const headingAnchors = (page: string) =>
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
const commandsNamed = (code: string) =>
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

/** What is wrong on each page, as `page: what`. */
const onPages = (find: (page: string, name: string) => readonly string[]) =>
  pages.flatMap((name) => find(readPage(name), name).map((wrong) => `${name}: ${wrong}`));

describe('a page', () => {
  it('names existing scripts', () => {
    const unknown = onPages((page) =>
      [...page.matchAll(/\bnpm run ([\w:]+)/g)].flatMap(([, script = '']) =>
        script in manifest.scripts ? [] : script,
      ),
    );
    expect(unknown).toEqual([]);
  });

  it('names existing commands', () => {
    const unknown = onPages((page) =>
      codeOf(page)
        .flatMap(commandsNamed)
        .filter((command) => !typed.has(command)),
    );
    expect(unknown).toEqual([]);
  });

  it('links to existing files and headings', () => {
    const isBroken = ({ file, heading }: Link) =>
      !existsSync(path.join(root, file)) ||
      (heading !== undefined && !headingAnchors(readPage(file)).has(heading));
    expect(
      onPages((_page, name) =>
        linksOf(name)
          .filter(isBroken)
          .map(({ link }) => link),
      ),
    ).toEqual([]);
  });

  it('names existing files of the project', () => {
    const missing = onPages((page) =>
      codeOf(page)
        .flatMap((code) => code.match(/(?<![\w/.])(?:src|test|docs|scripts|bench)\/[\w./-]+/g) ?? [])
        .filter((file) => !existsSync(path.join(root, file))),
    );
    expect(missing).toEqual([]);
  });

  it('names no folder or host of its author', () => {
    const places = [root, os.homedir(), os.tmpdir(), `@${os.hostname()}`].filter((place) => place.length > 1);
    const found = onPages((page) => [
      ...places.filter((place) => page.includes(place)),
      ...(page.match(/\/(?:home|Users|root)\//g) ?? []),
    ]);
    expect(found).toEqual([]);
  });
});

describe('README.md', () => {
  it('leads to each other page', () => {
    const found = new Set(['README.md']);
    for (const page of found) linksOf(page).forEach(({ file }) => pages.includes(file) && found.add(file));
    expect(pages.filter((page) => !found.has(page))).toEqual([]);
  });
});
