import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Blow, blows } from '../harness/blows';
import { type Kind, kinds } from '../harness/kinds';
import { atPosts, onePerPhase } from '../harness/moments';
import { promotions } from '../harness/promotions';
import { Trials } from '../harness/trial';
import { S3Server } from '../store/s3/s3-server';
import { type S3Site, s3Site } from '../store/s3/s3-site';
import { Cluster } from './cluster';
import type { ProcessName } from './temporal';

jest.setTimeout(60 * 60_000);

const all: readonly Kind[] = [kinds.sync, promotions.promotion];

describe.each(all.map((kind) => ({ ...kind, kind })))('$title on a production server', ({ kind }) => {
  let cluster: Cluster;
  let s3: S3Server;
  let bucket: S3Site;
  let trials: Trials;
  beforeAll(async () => {
    cluster = await Cluster.start();
    Object.assign(process.env, cluster.variables);
    s3 = await S3Server.start();
    bucket = await s3Site(s3);
    trials = await Trials.open({ ...kind, temporal: cluster.address, config: { store: bucket.store } });
  });
  afterAll(async () => {
    await trials.close();
    await s3.stop();
    await cluster.stop();
  });

  const ofTemporal = (what: string, ...names: readonly ProcessName[]): Blow => ({
    ...blows.none,
    title: `kill -9 of ${what}`,
    strike: () => cluster.killTemporal(...names),
    bringBack: () => cluster.restartTemporal(...names),
  });
  const postgresql: Blow = {
    ...blows.none,
    title: 'kill -9 of PostgreSQL',
    strike: () => cluster.postgresql.kill(),
    bringBack: () => cluster.postgresql.restart(),
  };
  const parts = [
    postgresql,
    ofTemporal('the history of Temporal', 'history'),
    ofTemporal('the frontend of Temporal', 'frontend'),
    ofTemporal('all of Temporal', 'frontend', 'history'),
    blows.worker,
  ];

  it.each(parts.map((blow) => [blow.title, blow] as const))(
    'ends as if undisturbed after %s [P01]',
    async (_title, blow) => {
      const { calls, canAsk } = trials.twin;
      const moments = [...onePerPhase(calls, canAsk), ...atPosts(calls)];
      expect(await trials.struck(blow, moments)).toEqual([]);
      expect(await bucket.begun()).toEqual([]);
    },
  );
});
