import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { PortolanError } from '../../model/errors/errors';
import { fileRunId } from '../../model/run/run-id';
import { jsonText, shortened, shortenTexts } from '../../model/text/plain-text';
import { BUNDLE_FORMAT, type RunBundle, runBundle } from './bundle-view';
import { DEPTH_MAX } from './redaction';

const MB = 1024 * 1024;
/** Maximum file size of a bundle. @format bytes */
const FILE_MAX = 64 * MB;
/** Maximum unpacked size. @format bytes */
const OPENED_MAX = 64 * MB;
/** So many values take more memory than they have bytes. */
const VALUES_MAX = 6_000_000;
/** Of what is shown: longer texts are cut, since a column is as wide as its widest one. @format characters */
const SHOWN_MAX = 4_000;
const CELL_MAX = 500;

/** Readable only by its owner. */
const FILE_MODE = 0o600;

export const bundleName = (runId: string): string => `${fileRunId(runId)}.portolan-bundle.json.gz`;

/**
 * Writes a bundle into a file that only its owner reads, as a whole or not at all. @returns its size in bytes
 * Throws `USAGE` where that cannot be done, and where the file is there unless it may be replaced.
 */
export async function writeBundle(file: string, bundle: RunBundle, isReplaced: boolean): Promise<number> {
  const bytes = await promisify(gzip)(bundleText(bundle));
  const beside = `${file}.${randomBytes(4).toString('hex')}.part`;
  try {
    if (isReplaced) {
      await writeFile(beside, bytes, { mode: FILE_MODE, flag: 'wx' });
      await rename(beside, file);
    } else await writeFile(file, bytes, { mode: FILE_MODE, flag: 'wx' });
  } catch (thrown) {
    await rm(beside, { force: true });
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new PortolanError('USAGE', `${file} already exists.`, {
        hint: 'Choose another file, or replace it with: --force',
      });
    throw new PortolanError('USAGE', `${file} cannot be written (${code}).`, {
      hint: 'Choose a file in an existing folder.',
    });
  }
  return bytes.length;
}

/** JSON of which people can read the beginning, with a line for each entry of a list; nothing in it is obeyed by a terminal. */
function bundleText(bundle: RunBundle): string {
  const parts = Object.entries(bundle)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${jsonText(name)}: ${Array.isArray(value) ? listText(value) : jsonText(value)}`);
  return `{\n${parts.join(',\n')}\n}\n`;
}

const listText = (values: readonly unknown[]): string =>
  values.length === 0 ? '[]' : `[\n ${values.map((value) => jsonText(value)).join(',\n ')}\n]`;

/**
 * A bundle of others, whose shape and size are as they have to be; what it says is what they say. Throws `USAGE` for
 * whatever else is in the file.
 */
export async function openBundle(file: string): Promise<RunBundle> {
  const value = parsed(file, await unpacked(file, await bytesOf(file)));
  const format = (value as { portolanBundle?: unknown } | null)?.portolanBundle;
  if (typeof format === 'number' && format !== BUNDLE_FORMAT)
    throw refused(file, `is a bundle of format ${format}; this version of Portolan reads ${BUNDLE_FORMAT}`);
  // What is made of texts of others may be nested twice as deep as what is cut there.
  if (format === undefined || isDeeper(value, 2 * DEPTH_MAX)) throw refused(file, 'is not a Portolan bundle');
  const checked = runBundle.safeParse(value);
  if (checked.success) {
    const { view, plan } = checked.data;
    return {
      ...checked.data,
      view: shortenTexts(view, SHOWN_MAX) as typeof view,
      ...(plan && { plan: shortenTexts(plan, CELL_MAX) as typeof plan }),
    };
  }
  const [issue] = checked.error.issues;
  const where = shortened(issue?.path.join('.') || 'it', CELL_MAX);
  throw refused(file, `is not a readable bundle: ${where} is invalid`);
}

/** @param saw goes on from the name of the file */
export const refused = (file: string, saw: string): PortolanError =>
  new PortolanError('USAGE', `${file} ${saw}.`, {
    hint: 'Ask for a new one, made with: portolan run bundle RUN',
  });

const tooLarge = (file: string): PortolanError => refused(file, 'is too large for a Portolan bundle');

async function bytesOf(file: string): Promise<Buffer> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw refused(file, 'is no file');
    if (found.size > FILE_MAX) throw tooLarge(file);
    return await buffer(createReadStream(file, { end: FILE_MAX }));
  } catch (thrown) {
    if (thrown instanceof PortolanError) throw thrown;
    throw new PortolanError('USAGE', `${file} cannot be read (${(thrown as NodeJS.ErrnoException).code}).`, {
      hint: 'Choose an existing bundle, made with: portolan run bundle RUN',
    });
  }
}

async function unpacked(file: string, bytes: Buffer): Promise<string> {
  try {
    const clear = await promisify(gunzip)(bytes, { maxOutputLength: OPENED_MAX });
    if (valuesIn(clear) > VALUES_MAX) throw tooLarge(file);
    return new TextDecoder('utf-8', { fatal: true }).decode(clear);
  } catch (thrown) {
    if (thrown instanceof PortolanError) throw thrown;
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(file);
    if (code === 'Z_BUF_ERROR') throw refused(file, 'is cut off: its end is missing');
    throw refused(file, 'is damaged, or not a Portolan bundle');
  }
}

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // What the parser says would quote the file.
    throw refused(file, 'is damaged, or not a Portolan bundle');
  }
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1)));

/** At least as many values as there are in a text of JSON. */
function valuesIn(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === COMMA || byte === BRACKET || byte === BRACE) count += 1;
  return count;
}
const [COMMA, BRACKET, BRACE] = Buffer.from(',[{');
