import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import { workflowBundlePath } from '../support/temporal';

const folder = path.join(__dirname, '..', 'histories');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

const options = (): ReplayWorkerOptions => ({ workflowBundle: { codePath: workflowBundlePath() } });

interface RecordedHistory {
  /** Commit whose code made the history. */
  readonly commit: string;
  readonly history: unknown;
}

const read = (name: string): RecordedHistory =>
  JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as RecordedHistory;

describe('a run that an earlier version began', () => {
  it.each(files)('goes on under this one: %s', async (name) => {
    await expect(Worker.runReplayHistory(options(), read(name).history)).resolves.toBeUndefined();
  });

  it('is not mistaken for one that fits when a step of it is another one', async () => {
    const { history } = read('succeeded.json');
    const changed = JSON.parse(
      JSON.stringify(history).replaceAll('"listRequested"', '"listWanted"'),
    ) as unknown;
    await expect(Worker.runReplayHistory(options(), changed)).rejects.toThrow(/determinism/i);
  });
});
