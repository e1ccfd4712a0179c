import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { installRuntime } from '../runtime';

const LIMIT_MS = 10 * 60_000;

/**
 * Lets the SDK fetch the Temporal CLI that it was made for into the folder, which is empty. It does so only by
 * starting a server, which is stopped at once. That server has the environment of this process, so that a process of
 * its own does this: `node sdk-download.js FOLDER`.
 * @returns path of the executable
 */
async function downloadWithSdk(folder: string): Promise<string> {
  installRuntime();
  const limit = AbortSignal.timeout(LIMIT_MS);
  const server = await Promise.race([
    TestWorkflowEnvironment.createLocal({
      server: { executable: { type: 'cached-download', downloadDir: folder } },
    }),
    new Promise<never>((_resolve, reject) =>
      limit.addEventListener('abort', () => reject(new Error('took too long')), { once: true }),
    ),
  ]);
  await server.teardown();
  const [file] = await readdir(folder);
  if (file === undefined) throw new Error('nothing was downloaded');
  return path.join(folder, file);
}

downloadWithSdk(process.argv[2] ?? '').then(
  (file) => {
    process.stdout.write(file);
    process.exit();
  },
  (error: unknown) => {
    process.stderr.write(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);
