import { describe, jest } from '@jest/globals';
import { blows } from '../../harness/blows';
import { kinds } from '../../harness/kinds';
import { atEveryWrite, atFirstWrites, describeStruck } from '../../harness/suites';

jest.setTimeout(60 * 60_000);

describe('a struck run', () => {
  describeStruck([[kinds.bound, [blows.worker, atFirstWrites], [blows.cut, atEveryWrite]]]);
});
