import { rename, rm, writeFile } from 'node:fs/promises';
import { PortolanError } from '../../model/errors/errors';

/** Writes a file that people named, as a whole or not at all. Throws USAGE where that cannot be done. */
export async function writeDocument(file: string, text: string): Promise<void> {
  const beside = `${file}.${process.pid}.part`;
  try {
    await writeFile(beside, text);
    await rename(beside, file);
  } catch (thrown) {
    await rm(beside, { force: true });
    const { code } = thrown as NodeJS.ErrnoException;
    throw new PortolanError('USAGE', `${file} cannot be written (${code}).`, {
      hint: 'Name a file in a folder that is there, or none for stdout.',
    });
  }
}
