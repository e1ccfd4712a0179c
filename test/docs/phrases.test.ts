import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { pages, readPage, root } from './pages';
import { phrases } from './phrases';

interface Text {
  readonly line: number;
  readonly text: string;
}

/** A page without its code: names of keys, commands and JSON members are data. */
const linesOfPage = (name: string): Text[] =>
  readPage(name)
    .replace(/^```[^]*?^```$/gm, (block) => block.replace(/[^\n]/g, ''))
    .split('\n')
    .map((text, at) => ({ line: at + 1, text: text.replace(/`[^`]*`|\]\([^)]*\)/g, '') }));

/** Strings of a source that are prose: those with a space in them. */
function stringsOf(file: string): Text[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Text[] = [];
  const walk = (node: ts.Node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isJsxText(node)) {
      const text = node
        .getText()
        .replace(/\$\{[^}]*\}/g, '…')
        .replace(/`[^`\n]*\\`|\\`[^`]*\\`/g, '');
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      if (/\S\s\S/.test(text)) found.push({ line: line + 1, text });
    }
    ts.forEachChild(node, walk);
  };
  walk(source);
  return found;
}

const plainLines = (file: string): Text[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((text, at) => ({ line: at + 1, text }));

const toRewrite = (name: string, texts: readonly Text[]) =>
  texts.flatMap(({ line, text }) =>
    phrases.flatMap(([phrase, instead]) => {
      const found = phrase.exec(text);
      return found ? [`${name}:${line}: "${found[0]}": write ${instead}`] : [];
    }),
  );

const filesBelow = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));

const sources = filesBelow('src').filter((name) => /\.tsx?$/.test(name));
const others = [...filesBelow('ops'), ...filesBelow('examples'), 'src/serve/page/assets/page.js'];

describe('text for people', () => {
  it('has no translated phrase in pages', () => {
    expect(pages.flatMap((name) => toRewrite(name, linesOfPage(name)))).toEqual([]);
  });

  it('has no translated phrase in help, errors, log lines and the web UI', () => {
    expect(sources.flatMap((name) => toRewrite(name, stringsOf(path.join(root, name))))).toEqual([]);
  });

  it('has no translated phrase in alerts, the dashboard and examples', () => {
    expect(others.flatMap((name) => toRewrite(name, plainLines(path.join(root, name))))).toEqual([]);
  });
});
