import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { answersAt, parseAddress } from '../../../src/temporal/dev-server/address';
import { type Ended, Portolan } from '../../support/child';

let folder: string | undefined;
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** The folder that the demo names, once the first run of it has begun. */
const folderOf = (stderr: string) => (folder = path.dirname(/^config +(\S+)$/m.exec(stderr)?.[1] ?? ''));

async function expectNothingLeft({ stderr }: Ended) {
  const config = readFileSync(path.join(folderOf(stderr), 'portolan.yaml'), 'utf8');
  const portals = [...config.matchAll(/http:\/\/(127\.0\.0\.1:\d+)\/portal/g)].map(([, at = '']) => at);
  expect(new Set(portals).size).toBe(3);
  const [, temporal = ''] = /^ +address: (\S+)$/m.exec(config) ?? [];
  for (const at of [...portals, temporal]) expect(await answersAt(parseAddress(at))).toBe(false);
  expect(existsSync(path.join(folder ?? '', 'portals'))).toBe(false);
}

describe('the demo of promotions', () => {
  it('promotes a release with two people and rolls the next one back', async () => {
    const ended = await new Portolan(['demo', '--promotion'], { cwd: tmpdir() }).ended;
    expect({ status: ended.status, said: ended.stderr }).toMatchObject({ status: 0 });
    const refused = /PROMOTION_REFUSED .* has been verified on staging for .*needs a soak time of 10 seconds/;
    expect(ended.stderr).toMatch(refused);
    expect(ended.stderr).toMatch(/started the run, and the policy of its target requires a second approver/);
    expect(ended.stderr).toMatch(/^ok {2}stage .* transport-\S+ is the current release of production/m);
    expect(ended.stderr).toMatch(/^!! {2}checks .* 1 of 1 checks of production failed/m);
    expect(ended.stderr).toMatch(/^ok {2}rollback .* 2 groups rolled back/m);
    expect(ended.stdout).toMatch(/ production +transport-\S+ +rolled back .*  lena /);
    expect(ended.stdout).toMatch(/"Closures today" .*Conditions\/MapServer not found$/m);
    expect(ended.stdout).toMatch(/^now +unchanged: \d{2,} facts .* compared, no difference$/m);
    await expectNothingLeft(ended);
  });

  it('ends at Ctrl-C and leaves nothing running', async () => {
    const demo = new Portolan(['demo', '--promotion'], { cwd: tmpdir() });
    await demo.says('$ portolan promote transport --to staging');
    demo.child.kill('SIGINT');
    const ended = await demo.ended;
    expect(ended.status).toBe(5);
    await expectNothingLeft(ended);
  });
});
