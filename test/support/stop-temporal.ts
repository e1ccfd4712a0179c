import { rm } from 'node:fs/promises';
import type { StartedForTests } from './start-temporal';

export default async function stopTemporal(): Promise<void> {
  const { startedForTests } = globalThis as { startedForTests?: StartedForTests };
  await startedForTests?.server.stop();
  if (startedForTests) await rm(startedForTests.folder, { recursive: true, force: true });
}
