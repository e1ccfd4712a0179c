import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { describe } from '@jest/globals';

/**
 * Records the histories that `replay.test.ts` replays, from the commit that is checked out; CONTRIBUTING.md says when.
 */
export const recording = process.env.PORTOLAN_RECORD_HISTORIES === '1' ? describe : describe.skip;

/** Writes the history of a run as it is now. Throws where there is one of that name. */
export async function record(name: string, handle: WorkflowHandle): Promise<void> {
  const root = path.resolve(__dirname, '..', '..');
  const folder = path.join(root, 'test', 'histories');
  mkdirSync(folder, { recursive: true });
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const history: unknown = JSON.parse(historyToJSON(await handle.fetchHistory()));
  // Traces name files of the project as they lie in it.
  const text = JSON.stringify({ commit, history }).replaceAll(`${root}/`, '/');
  writeFileSync(path.join(folder, `${name}.json.gz`), gzipSync(text, { level: 9 }), { flag: 'wx' });
}
