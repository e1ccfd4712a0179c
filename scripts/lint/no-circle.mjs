import path from 'node:path';
import { ImportGraph, resolveImport } from './import-graph.mjs';

const graph = new ImportGraph();

/**
 * No file is reached again along what it imports. The rules for circles that are known pass over imports of types;
 * here they count, since whoever reads one file of such a circle has to read all.
 */
export const noCircle = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      circle:
        'A circle of imports: {{way}}. Move what both ends need into a file that imports neither, or hand it over as an argument.',
    },
  },
  create(context) {
    const { filename, cwd, sourceCode } = context;
    graph.read(filename, sourceCode.text);
    const check = ({ source }) => {
      const imported = typeof source?.value === 'string' ? resolveImport(filename, source.value) : undefined;
      const way = imported && graph.way(imported, filename);
      if (!way) return;
      const names = [filename, ...way].map((file) => path.relative(path.join(cwd, 'src'), file));
      context.report({ node: source, messageId: 'circle', data: { way: names.join(' -> ') } });
    };
    return { ImportDeclaration: check, ImportExpression: check, ExportNamedDeclaration: check };
  },
};
