import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(__dirname, '../..');

/** The pages for people, by their path from the project's folder. */
export const pages = [
  ...readdirSync(root),
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join('docs', name),
  ),
].filter((name) => name.endsWith('.md'));

/** Undefined where there is no such page yet. */
export const existingPage = (page: string): string | undefined =>
  existsSync(path.join(root, page)) ? readPage(page) : undefined;

export const readPage = (page: string): string => readFileSync(path.join(root, page), 'utf8');

/** What a page says in code: spans in backticks, fenced blocks and indented lines, one text each. */
export function codeOf(page: string): string[] {
  const blocks = [...page.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');
  const prose = page.replace(/^```\w*\n[\s\S]*?^```$/gm, '');
  const indented = prose.split('\n').filter((line) => /^ {4}\S/.test(line));
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');
  return [...blocks, ...indented, ...spans];
}

/** The part of a page below a heading, to the next heading of any level. */
export function sectionOf(page: string, heading: string): string {
  const [, found] = page.split(new RegExp(`^#+ ${heading}$`, 'm'));
  if (found === undefined) throw new Error(`there is no heading "${heading}"`);
  return found.split(/^#+ /m)[0] ?? '';
}

/** Rows of the tables in a text, without their heads; cells as they are written. */
export function tableRows(text: string): string[][] {
  return text
    .split(/\n{2,}/)
    .filter((block) => block.trimStart().startsWith('|'))
    .flatMap((block) => block.trim().split('\n').slice(2))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

/** Texts in backticks. */
export const spansOf = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
