import { rm } from 'node:fs/promises';
import stopTemporal from '../support/stop-temporal';
import { readCells, renderMatrix } from './matrix';
import { readUndisturbed } from './undisturbed';

/** Prints what became of every cell. */
export default async function stop(): Promise<void> {
  await stopTemporal();
  const folder = process.env.PORTOLAN_TEST_FAULTS_FOLDER ?? '';
  process.stdout.write(`\n${renderMatrix(readUndisturbed(folder).endpoints, readCells(folder))}`);
  await rm(folder, { recursive: true, force: true });
}
