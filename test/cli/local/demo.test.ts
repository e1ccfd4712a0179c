import { afterAll, describe, expect, it } from '@jest/globals';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { portolan } from '../../support/child';
import { expectEnd, inProcess } from '../../support/in-process';

describe('the demo', () => {
  let config = '';
  afterAll(() => rmSync(path.dirname(config), { recursive: true, force: true }));

  it('shows plan, results and verification of a sync, and leaves nothing running', async () => {
    const env = { npm_lifecycle_event: 'demo' };
    const { status, stdout, stderr } = await portolan(['demo'], { cwd: tmpdir(), env });
    config = /^config +(\S+)$/m.exec(stderr)?.[1] ?? '';
    expect(status).toBe(0);
    expect(stderr).toMatch(/^PLAN [\w-]+ for production "Transport"\ncreate {5}8 .*\n.*\noverwrite {2}2 /m);
    expect(stdout).toMatch(/^Results: 13 items requested\n10 imported, 1 kept, 2 skipped\n/m);
    expect(stdout).toMatch(/^Verification\n10 items, \d+ references, .* features: 0 findings/m);
    expect(stdout).toMatch(/^SUCCEEDED in .*Target: changed\. Exit status 0\.$/m);
    expect(stderr).toMatch(/^WHERE TO LOOK\n[^]*npx portolan run show /m);

    // Its Temporal server has ended too: the record comes from the store.
    await expectEnd(
      inProcess(['run', 'show', 'latest', '--config', config]),
      0,
      /^SUCCEEDED sync-transport-[^]*^note +cannot reach Temporal at /m,
    );
  });
});
