import { describe, jest } from '@jest/globals';
import { blows } from '../../harness/blows';
import { kinds } from '../../harness/kinds';
import { atCalls, isPost } from '../../harness/moments';
import { describeStruck } from '../../harness/suites';

jest.setTimeout(5 * 60_000);

// Every call and every file: test/backup/kills.long.ts
describe('a struck run [P01]', () => {
  const afterItsExport = {
    title: 'after its first export',
    of: ({ calls }: { readonly calls: Parameters<typeof atCalls>[0] }) =>
      atCalls(calls.filter(isPost), ['processed']),
  };
  describeStruck([[{ ...kinds.rule, watchesSnapshots: false }, [blows.worker, afterItsExport]]]);
});
