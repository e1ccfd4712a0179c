import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { LineCounter, parseDocument } from 'yaml';
import { yamlValue } from '../../model/text/yaml';
import { PortolanError } from '../../model/errors/errors';

/** Name of a file in messages. */
export const documentName = (file: string): string => (file === '-' ? 'the standard input' : file);

/** Reads a YAML or JSON file; `-` is stdin. Throws USAGE with the places of syntax errors. */
export function readDocument(file: string): unknown {
  const name = documentName(file);
  const lines = new LineCounter();
  // Pretty errors would quote the faulty line, which may hold private text.
  const document = parseDocument(readText(file, name), { lineCounter: lines, prettyErrors: false });
  const problems = document.errors.map(({ code, pos }) => {
    const { line, col } = lines.linePos(pos[0]);
    return `  line ${line}, column ${col}: ${code.toLowerCase().replaceAll('_', ' ')}`;
  });
  if (problems.length > 0)
    throw new PortolanError('USAGE', `${name} is neither valid YAML nor JSON:\n${problems.join('\n')}`, {
      hint: 'Fix the listed places.',
    });
  const read = yamlValue(document);
  if ('problem' in read)
    throw new PortolanError('USAGE', `${name} cannot be read: ${read.problem}.`, { hint: read.hint });
  return read.value;
}

/** Titles and texts must be exact, so other encodings are refused and not converted. */
function readText(file: string, name: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file === '-' ? 0 : file);
  } catch (thrown) {
    throw new PortolanError('USAGE', `${name} cannot be read (${(thrown as NodeJS.ErrnoException).code}).`, {
      hint: 'Name an existing file, or - for standard input.',
    });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PortolanError('USAGE', `${name} is not UTF-8.`, { hint: 'Save it as UTF-8.' });
  }
}

/** Writes a file atomically. Throws USAGE if that fails. @param mode of the file @default 0o666 */
export async function writeDocument(
  file: string,
  content: string | Uint8Array,
  mode?: number,
): Promise<void> {
  const beside = `${file}.${process.pid}.part`;
  try {
    await writeFile(beside, content, { mode });
    await rename(beside, file);
  } catch (thrown) {
    await rm(beside, { force: true });
    const { code } = thrown as NodeJS.ErrnoException;
    throw new PortolanError('USAGE', `${file} cannot be written (${code}).`, {
      hint: 'Name a file in an existing folder.',
    });
  }
}
