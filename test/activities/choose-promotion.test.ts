import { expect, it } from '@jest/globals';
import { aConfig, aPortal } from '../support/config';
import { choosePromotion } from '../../src/activities/release/stage';
import type { ActivityDeps } from '../../src/activities/deps';
import type { Part } from '../../src/model/run/run-input';

const runId = 'promote-transport-weekly-2026-11-21T03:00:00Z';
const id = 'transport-20261120T090000Z-k7q2';
const manifest = {
  id,
  sha256: 'f00',
  source: { portal: 'dev', url: 'https://dev' },
  groups: [{ name: 'roads', groupId: 'roads-dev', snapshotId: 'roads-1' }],
};

/** A worker whose stage is on `live`. @param signedFor the portal of the stage when the schedule was signed */
function chosenBy(signedFor: string, signedParts: Part[]) {
  const stage = (name: string) => ({ portal: name, groups: { roads: `roads-${name}` } });
  const stages = { dev: stage('dev'), live: { ...stage('live'), after: 'dev' } };
  const pipelines = { transport: { groups: ['roads'], stages } };
  const config = aConfig({ portals: { dev: aPortal('dev'), live: aPortal('live') }, pipelines });
  const route = { name: 'transport', target: { portal: signedFor } };
  const releases = {
    store: { where: 'the store' },
    ids: () => Promise.resolve([id]),
    read: () => Promise.resolve({ manifest }),
    promotions: { entries: () => Promise.resolve([]), standings: () => Promise.resolve(new Map()) },
  };
  const authority = {
    requireSigned: () =>
      Promise.resolve({ runId, startedBy: 'schedule weekly', yes: false, route, stage: 'live', release: id }),
    signChild: (_whole: string, part: Part) => {
      signedParts.push(part);
      return Promise.resolve({ identity: 'claimed', mac: 'mac' });
    },
  };
  return choosePromotion({ config, snapshots: { releases }, authority } as unknown as ActivityDeps, {
    runId,
  });
}

it('a schedule signs the due promotion by the configuration of the worker [P14]', async () => {
  const parts: Part[] = [];
  const { promotion } = await chosenBy('live', parts);
  expect(promotion).toMatchObject({
    parent: runId,
    startedBy: 'schedule weekly',
    yes: false,
    stage: 'live',
    release: { id, sha256: 'f00' },
    route: { target: { portal: 'live' } },
    proof: { mac: 'mac' },
  });
  const { proof: _proof, ...input } = promotion ?? {};
  expect(parts).toEqual([{ workflow: 'promotion', input }]);
});

it('a schedule signs no promotion into another portal than it was signed for [P13]', async () => {
  const parts: Part[] = [];
  await expect(chosenBy('dev', parts)).rejects.toMatchObject({
    code: 'CONFIG_MISMATCH',
    message: expect.stringContaining("The worker's portolan.yaml differs for transport/live: portal."),
  });
  expect(parts).toEqual([]);
});
