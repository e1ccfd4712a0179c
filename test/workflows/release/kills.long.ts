import { describe, jest } from '@jest/globals';
import { blows } from '../../harness/blows';
import { promotions } from '../../harness/promotions';
import { atEachPost, atFiles, atFirstWrites, describeStruck, inEachPhase } from '../../harness/suites';

jest.setTimeout(60 * 60_000);

const { worker, temporal, target } = blows;

describe('a struck run [P01][P12]', () => {
  describeStruck([
    [
      promotions.release,
      [worker, inEachPhase],
      [worker, atEachPost],
      [worker, atFiles('written', /releases.*manifest\.json$/)],
    ],
    [
      promotions.promotion,
      [worker, inEachPhase],
      [worker, atFiles('written', /^checked/)],
      [worker, atFirstWrites],
      [temporal, inEachPhase],
      [target, inEachPhase],
    ],
    [promotions.undone, [worker, inEachPhase], [worker, atFirstWrites], [target, inEachPhase]],
    [promotions.failing, [worker, inEachPhase], [worker, atFirstWrites]],
  ]);
});
