import { rm } from 'node:fs/promises';
import stopTemporal from '../support/stop-temporal';
import { readCells, renderMatrix } from './matrix';
import { readUndisturbed } from './undisturbed';

/** Prints a table of every fault at every call, and how the sync ended. */
export default async function stop(): Promise<void> {
  await stopTemporal();
  const folder = process.env.PORTOLAN_TEST_FAULTS_FOLDER ?? '';
  const { endpoints } = readUndisturbed(folder);
  const cells = readCells(folder);
  process.stdout.write(`\n${renderMatrix(endpoints, cells)}`);
  await rm(folder, { recursive: true, force: true });
}
