import { describe, expect, it } from '@jest/globals';
import { workerLine } from '../../../src/cli/local/commands/worker';
import { drawn } from '../../support/drawn';
import { createWorkerLog } from '../../../src/temporal/worker-log';

/** Lines that a worker prints at a terminal. */
function printed(log: (logger: ReturnType<typeof createWorkerLog>) => void): string[] {
  const lines: string[] = [];
  log(createWorkerLog({ destination: { write: (json) => lines.push(drawn([workerLine(json)])) } }));
  return lines;
}

describe('the log of a worker at a terminal', () => {
  it.each(['err', 'error'])('names the causes of an error logged as "%s"', (name) => {
    const cause = new Error('connect ECONNREFUSED 127.0.0.1:6080', {
      cause: new Error('the port is closed'),
    });
    const error = new Error('staging cannot be reached', { cause });
    const [line] = printed((log) =>
      log.warn({ [name]: error, workflowId: 'sync-k7q2', activityType: 'pollJob', attempt: 3 }, 'it failed'),
    );
    expect(line).toMatch(
      /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\dZ {2}it failed \(pollJob, attempt 3, sync-k7q2\) <- staging cannot be reached/,
    );
    expect(line).toContain('<- connect ECONNREFUSED 127.0.0.1:6080 <- the port is closed');
  });

  it('omits routine lines and control characters', () => {
    const lines = printed((log) => {
      log.info({ state: 'RUNNING' }, 'Worker state changed');
      log.info(`a${String.fromCharCode(27)}[2Jb`);
    });
    expect(lines[0]).toBe('');
    expect(lines[1]).not.toContain(String.fromCharCode(27));
  });
});
