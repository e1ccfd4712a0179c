/** A table as it is formatted: cells that are not padded. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** What every page says that a command writes. */
export const writtenBy = (source: string): string =>
  `Written from ${source} by \`npm run docs\`; a test fails where the two differ.`;
