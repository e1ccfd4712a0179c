import { describe, jest } from '@jest/globals';
import { blows } from '../../harness/blows';
import { kinds } from '../../harness/kinds';
import { afterFirstPosts, describeStruck } from '../../harness/suites';

jest.setTimeout(5 * 60_000);

// Every call and every file: test/backup/kills.long.ts
describe('a struck run [P01]', () => {
  describeStruck([[{ ...kinds.rule, watchesSnapshots: false }, [blows.worker, afterFirstPosts]]]);
});
