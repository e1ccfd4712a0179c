import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import stopTemporal from '../support/stop-temporal';
import { readCells, renderMatrix, renderPage } from './matrix';
import { readUndisturbed } from './undisturbed';

/** Prints what became of every cell, and writes the page about it where that is desired. */
export default async function stop(): Promise<void> {
  await stopTemporal();
  const folder = process.env.PORTOLAN_TEST_FAULTS_FOLDER ?? '';
  const { endpoints } = readUndisturbed(folder);
  const cells = readCells(folder);
  process.stdout.write(`\n${renderMatrix(endpoints, cells)}`);
  if (process.env['PORTOLAN_WRITE_FAULTS'])
    await writeFile(path.join(__dirname, '../../docs/internals/faults.md'), renderPage(endpoints, cells));
  await rm(folder, { recursive: true, force: true });
}
