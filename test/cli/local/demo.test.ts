import { afterAll, describe, expect, it } from '@jest/globals';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { answersAt, parseAddress } from '../../../src/temporal/dev-server/address';
import { connectTemporal } from '../../../src/temporal/connection';
import { portolan } from '../../support/child';
import { inProcess } from '../../support/in-process';

/** Whether the Temporal server of that run answers; another suite's may have got the address meanwhile. */
async function knowsRun(address: string, runId: string): Promise<boolean> {
  if (!(await answersAt(parseAddress(address)))) return false;
  const { client, connection } = await connectTemporal({ address }, 'default');
  try {
    return await client.workflow
      .getHandle(runId)
      .describe()
      .then(() => true);
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

describe('the demo', () => {
  let config: string | undefined;
  afterAll(() => {
    if (config !== undefined) rmSync(path.dirname(config), { recursive: true, force: true });
  });

  it('carries a group from portal to portal, shows plan, results and verification, and leaves nothing running', async () => {
    const ended = await portolan(['demo'], { cwd: tmpdir() });
    config = /^config +(\S+)$/m.exec(ended.stderr)?.[1];
    expect(ended.status).toBe(0);
    expect(ended.stderr).toMatch(
      /^PLAN [\w-]+ for production "Transport"\ncreate {5}8 .*\n.*\noverwrite {2}2 /m,
    );
    expect(ended.stdout).toMatch(/^Results: 13 items requested\n10 imported, 1 kept, 2 skipped\n/m);
    expect(ended.stdout).toMatch(/^Verification\n10 items, \d+ references, .* features: 0 findings/m);
    expect(ended.stdout).toMatch(/^SUCCEEDED in .*Target: changed\. Exit status 0\.$/m);
    expect(ended.stderr).toContain('WHERE TO LOOK\n');

    const shown = await inProcess(['run', 'show', 'latest', '--config', config!]);
    expect(shown).toMatchObject({ status: 0 });
    expect(shown.stdout).toMatch(/^SUCCEEDED sync-transport-/);
    // Its portals ended with its process; a server is one of its own.
    const [, address] = /^ +address: (127\.0\.0\.1:\d+)$/m.exec(readFileSync(config!, 'utf8')) ?? [];
    const [, runId] = /^SUCCEEDED {3}(sync-transport-\S+)/.exec(shown.stdout) ?? [];
    expect(await knowsRun(address!, runId!)).toBe(false);
  });
});
