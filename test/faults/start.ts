import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import startTemporal from '../support/start-temporal';
import { syncUndisturbed } from './undisturbed';

/** The Temporal server, and what a sync comes to where nothing disturbs it. */
export default async function start(): Promise<void> {
  await startTemporal();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-faults-'));
  process.env.PORTOLAN_TEST_FAULTS_FOLDER = folder;
  await syncUndisturbed(folder);
}
