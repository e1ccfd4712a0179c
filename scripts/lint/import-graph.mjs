import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Imports of the files of `src`, by absolute paths; types count, packages do not. Each file is read once. */
export class ImportGraph {
  #imports = new Map();

  /** Takes a file as it stands in an editor. */
  read(file, text = readFileSync(file, 'utf8')) {
    const imports = ts
      .preProcessFile(text)
      .importedFiles.map(({ fileName }) => resolveImport(file, fileName));
    this.#imports.set(file, [...new Set(imports.filter((each) => each !== undefined))]);
  }

  importsOf(file) {
    if (!this.#imports.has(file)) this.read(file);
    return this.#imports.get(file);
  }

  /** The shortest way along imports, with both ends; undefined where there is none. */
  way(from, to) {
    const cameFrom = new Map([[from, undefined]]);
    for (const file of cameFrom.keys()) {
      if (file === to) return wayBack(cameFrom, file);
      for (const next of this.importsOf(file)) if (!cameFrom.has(next)) cameFrom.set(next, file);
    }
    return undefined;
  }
}

function wayBack(cameFrom, end) {
  const way = [];
  for (let file = end; file !== undefined; file = cameFrom.get(file)) way.unshift(file);
  return way;
}

/** The source file that a relative import means, with or without its ending; undefined for anything else. */
export function resolveImport(file, specifier) {
  if (!specifier.startsWith('.')) return undefined;
  const target = path.resolve(path.dirname(file), specifier).replace(/\.js$/, '');
  return [`${target}.ts`, `${target}.tsx`, path.join(target, 'index.ts')].find((each) => existsSync(each));
}

/** Files below a folder that load this package when they run: by themselves, or by way of one another. */
export function filesThatLoad(packageName, folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => path.resolve(folder, name));
  const loads = new Map(files.map((file) => [file, loadedBy(readFileSync(file, 'utf8'))]));
  const found = new Set();
  const isFound = (file) => (each) => each === packageName || found.has(resolveImport(file, each));
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const [file, specifiers] of loads) if (specifiers.some(isFound(file))) found.add(file);
  }
  return [...found];
}

/** What a file imports beyond types. */
const loadedBy = (text) =>
  [...text.matchAll(/^import (?!type )([^'";]*) from '([^']+)'/gm)]
    .filter(([, names]) => !/^\{(\s*type [\w$ ]+,?)+\s*\}$/.test(names))
    .map(([, , specifier]) => specifier);
