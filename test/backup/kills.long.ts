import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { blows } from '../harness/blows';
import { type Kind, kinds } from '../harness/kinds';
import type { Moment } from '../harness/moments';
import {
  atEachCall,
  atEachFile,
  atEachPost,
  atEachWrite,
  atFiles,
  describeStruck,
  inEachPhase,
} from '../harness/suites';
import { Trials } from '../harness/trial';
import { type Trap, Wire } from '../harness/wire';
import { S3Server } from '../store/s3/s3-server';
import { type S3Site, s3Site } from '../store/s3/s3-site';

jest.setTimeout(60 * 60_000);

const { worker } = blows;
const snapshotFiles = [/\.epk$/, /rows\.json$/, /manifest\.json\..*tmp$/, /manifest\.json$/];
const proofFiles = [/proofs.*tmp$/, /proofs\/.*json$/];

describeStruck([
  [
    kinds.backup,
    [worker, inEachPhase],
    [worker, atEachWrite],
    [worker, atFiles('written', ...snapshotFiles)],
  ],
  [kinds.chain, [worker, inEachPhase], [worker, atFiles('written', /claim\.json$/, ...snapshotFiles)]],
  [
    kinds.night,
    [worker, atEachPost],
    [worker, atFiles('written', /forgotten\.json$/)],
    [worker, atFiles('gone', /manifest\.json$/, /\.epk$/)],
  ],
  [kinds.rule, [worker, atEachCall], [worker, atEachFile]],
  [
    kinds.restore,
    [worker, inEachPhase],
    [worker, atEachWrite],
    [worker, atFiles('written', /safeguard-\d+\/rows\.json$/)],
  ],
  [kinds.rollback, [worker, inEachPhase], [worker, atEachWrite]],
  [kinds.drill, [worker, inEachPhase], [worker, atEachWrite], [worker, atFiles('written', ...proofFiles)]],
  [
    kinds.drillImport,
    [worker, inEachPhase],
    [worker, atEachWrite],
    [worker, atFiles('written', proofFiles[0]!)],
  ],
]);

/** Requests to the bucket, such as `PUT package-1.epk`. */
const requests: readonly (readonly [Kind, readonly Omit<Trap, 'spring' | 'heard'>[]])[] = [
  [
    kinds.backup,
    [
      { operation: 'PUT package-1.epk', point: 'half', nth: 1 },
      { operation: 'PUT package-1.epk', point: 'processed', nth: 1 },
      // Completes the upload that the first one began.
      { operation: 'POST package-1.epk', point: 'processed', nth: 2 },
      { operation: 'PUT rows.json', point: 'processed', nth: 1 },
      { operation: 'PUT manifest.json', point: 'received', nth: 1 },
      { operation: 'PUT manifest.json', point: 'processed', nth: 1 },
    ],
  ],
  [
    // Whoever verifies the snapshot meanwhile reads the package too.
    { ...kinds.restore, watchesSnapshots: false },
    [
      { operation: 'GET package-1.epk', point: 'half', nth: 1 },
      { operation: 'GET package-1.epk', point: 'half', nth: 2 },
      { operation: 'PUT package-1.epk', point: 'half', nth: 1 },
    ],
  ],
];

describe.each(requests.map(([kind, traps]) => ({ ...kind, kind, traps })))(
  '$title with a bucket',
  ({ kind, traps }) => {
    let server: S3Server;
    let bucket: S3Site;
    let wire: Wire;
    let trials: Trials;
    beforeAll(async () => {
      server = await S3Server.start();
      bucket = await s3Site(server);
      const name = ({ method, url = '' }: { method?: string; url?: string }) =>
        `${method} ${url.split('?')[0]?.split('/').at(-1)}`;
      wire = await Wire.to(server.endpoint, { name });
      const store = { ...bucket.store, endpoint: wire.url.replace(/\/$/, '') };
      trials = await Trials.open({ ...kind, config: { store } });
    });
    afterAll(async () => {
      await trials.close();
      await wire.close();
      await server.stop();
    });

    it('ends as if undisturbed and leaves no upload after a kill at each request', async () => {
      const moments = traps.map((trap): Moment => ({ wire, trap }));
      expect(await trials.struck(worker, moments)).toEqual([]);
      expect(await bucket.begun()).toEqual([]);
    });
  },
);
