import { afterAll, describe, expect, it } from '@jest/globals';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { answersAt, parseAddress } from '../../../src/temporal/dev-server/address';
import { portolan } from '../../support/child';

describe('the demo', () => {
  let config: string | undefined;
  afterAll(() => {
    if (config !== undefined) rmSync(path.dirname(config), { recursive: true, force: true });
  });

  it('carries a group from portal to portal, shows plan, ledger and proof, and leaves nothing running', async () => {
    const ended = await portolan(['demo'], { cwd: tmpdir() });
    config = /^config +(\S+)$/m.exec(ended.stderr)?.[1];
    expect(ended.status).toBe(0);
    expect(ended.stderr).toMatch(
      /^PLAN [\w-]+ for production "Transport"\n {2}create {7}8 .*\n.*\n {2}overwrite {4}2 /m,
    );
    expect(ended.stdout).toMatch(
      /^LEDGER 13 requested\n {2}imported {6}10\n {2}kept {11}1\n {2}skipped {8}2\n/m,
    );
    expect(ended.stdout).toMatch(/^VERIFIED 10 items, \d+ references, .* features\n {2}0 findings\n/m);
    expect(ended.stdout).toMatch(/^SUCCEEDED in .*Target: changed\. {2}Exit status 0\.$/m);
    expect(ended.stderr).toContain('WHERE TO LOOK\n');

    const yaml = readFileSync(config!, 'utf8');
    const addresses = [...yaml.matchAll(/127\.0\.0\.1:\d+/g)].map(([address]) => parseAddress(address));
    expect(addresses).toHaveLength(3);
    expect(await Promise.all(addresses.map((address) => answersAt(address)))).toEqual([false, false, false]);

    const shown = await portolan(['run', 'show', 'latest', '--config', config!], { cwd: tmpdir() });
    expect(shown).toMatchObject({ status: 0 });
    expect(shown.stdout).toMatch(/^SUCCEEDED {3}sync-transport-/);
  });
});
