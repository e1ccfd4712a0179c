import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { parse, stringify } from 'yaml';
import type { RunRecord } from '../../../src/model/run/run';
import type { Simulator } from '../../../src/simulator/simulator';
import { Release } from '../../../src/simulator/versions';
import { Rehearsal } from '../../support/rehearsal';
import type { Ended } from '../../support/child';
import { inProcess } from '../../support/in-process';

export const banner = { text: 'Closed on Sunday', bgColor: '#003366', fontColor: 'white', enabled: true };
export const notice = { title: 'Terms', text: 'Be kind.', buttons: 'acceptAndDecline', enabled: true };
export const properties = {
  tokenExpiration: 60,
  sceneViewerEnabled: false,
  showInAppLauncher: ['Map Viewer', 'Dashboards'],
};

export let at: Rehearsal;
beforeAll(async () => {
  at = await Rehearsal.open({ user: { username: 'admin', password: 'admin-pw' } });
});
afterAll(() => at.close());
beforeEach(() => {
  for (const [portal, version] of [
    [at.source, '11.2'],
    [at.target, '11.4'],
  ] as const) {
    portal.settings.release = new Release(version);
    portal.settings.deployment = 'self-managed';
    portal.faults.clear();
    portal.world.changePortal({ settings: {} });
  }
});

export const inFolder = (name: string): string => path.join(at.folder, name);
export const settings = (...args: string[]): Promise<Ended> =>
  inProcess(['settings', ...args, '--config', inFolder('portolan.yaml')]);
export const apply = (content: unknown, ...args: string[]): Promise<Ended> =>
  settings('apply', 'production', fileOf(content), '--yes', '-o', 'json', ...args);

export function fileOf(content: unknown): string {
  const file = inFolder('desired.yaml');
  writeFileSync(file, typeof content === 'string' ? content : stringify(content));
  return file;
}

export const give = ({ world }: Simulator, values: Record<string, unknown>): void =>
  world.changePortal({ settings: { ...world.portal.settings, ...values } });
export const shown = ({ world }: Simulator): Record<string, unknown> => world.portal.settings;
export const recordOf = ({ stdout }: Ended): RunRecord => JSON.parse(stdout) as RunRecord;

/** How often the target was asked to change its settings while this went on. */
export async function updatesDuring<T>(work: () => Promise<T>): Promise<{ ended: T; updates: number }> {
  const count = (): number =>
    at.target.requests().filter(({ operation }) => operation === 'settings.update').length;
  const before = count();
  const ended = await work();
  return { ended, updates: count() - before };
}

/** The same portals, signed in to as somebody else. */
export async function asUser(username: string, ...args: string[]): Promise<Ended> {
  const config = parse(readFileSync(inFolder('portolan.yaml'), 'utf8')) as {
    portals: Record<string, { auth: unknown }>;
  };
  writeFileSync(inFolder(`${username}-secret`), `${username}-pw`);
  for (const portal of Object.values(config.portals)) {
    portal.auth = { type: 'password', username, password: { file: inFolder(`${username}-secret`) } };
  }
  writeFileSync(inFolder(`${username}.yaml`), stringify(config));
  return await inProcess(['settings', ...args, '--config', inFolder(`${username}.yaml`)]);
}
