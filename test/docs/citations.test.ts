import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = path.resolve(__dirname, '../..');
const page = 'docs/reference/portal-interface.md';

const headings = new Set(
  readFileSync(path.join(root, page), 'utf8')
    .split('\n')
    .flatMap((line) => /^#{2,}\s+(.+?)\s*$/.exec(line)?.[1] ?? []),
);

const files = ['src', 'test']
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      path.join(folder, file),
    ),
  )
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(path.basename(__filename)));

/** What a file cites of the page, `file: heading` each; a citation may run over the end of a comment's line. */
function citationsOf(file: string): { place: string; heading: string }[] {
  const flat = readFileSync(path.join(root, file), 'utf8').replace(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/g, ' ');
  return [...flat.matchAll(/docs\/reference\/portal-interface\.md, ((?:"[^"]+"(?:,| and)? ?)+)/g)].flatMap(
    (match) =>
      [...(match[1] ?? '').matchAll(/"([^"]+)"/g)].map((cited) => {
        const heading = cited[1] ?? '';
        return { place: `${file}: ${heading}`, heading };
      }),
  );
}

describe('citations of the page on the portal interface', () => {
  it('name headings that are on it', () => {
    const citations = files.flatMap(citationsOf);
    expect(citations.length).toBeGreaterThan(80);
    expect(citations.filter(({ heading }) => !headings.has(heading)).map(({ place }) => place)).toEqual([]);
  });
});
