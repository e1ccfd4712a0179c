import { expect, it } from '@jest/globals';
import { routeOfGroup } from '../../src/model/release/release-input';
import { partRunId } from '../../src/model/run/run-id';
import { May } from '../../src/service/may';

const may = (pipelines: string[], pipeline: string, group: string) => {
  const caller = { who: 'ci', identity: 'key', rights: ['operate'], pipelines } as const;
  const route = { name: routeOfGroup(pipeline, group) };
  try {
    new May(caller).changeRun({
      kind: 'backup',
      route,
      runId: partRunId('release-city-20261121T030000Z-k7q2', 1),
    });
    return true;
  } catch {
    return false;
  }
};

it('a key for a pipeline may act on its groups, also one with a dot in its name', () => {
  expect([may(['city'], 'city', 'roads'), may(['city'], 'city', 'old.roads')]).toEqual([true, true]);
  expect([may(['city'], 'town', 'roads'), may(['city.old'], 'city', 'old.roads')]).toEqual([false, false]);
});
