import { afterEach, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { FencedWrite } from '../../../src/activities/attempt/post-once';
import { attemptSignal } from '../../../src/activities/attempt/heartbeat';
import type { CallOptions } from '../../../src/portal/http/request';
import { findItem } from '../../../src/portal/resources/items/items';
import { failureOf, json, portalsOf } from '../../portal/raw-portal';
import { clientOfOurs } from './client-of-ours';

const startPortal = portalsOf(afterEach);

/** An activity that waits for its portal when it is cancelled: what its request comes to. */
async function cancelledWhileAsking(options: () => CallOptions | undefined) {
  const environment = new MockActivityEnvironment({}, { client: clientOfOurs });
  const portal = await startPortal({
    'content/items/i1': (seen, response) => {
      environment.cancel();
      // Behind the abort of the request, where there is one.
      setImmediate(() => void json({ id: 'i1' })(seen, response));
    },
  });
  const client = portal.client({ signal: attemptSignal });
  return await environment.run(async () => {
    const call = findItem(client, 'i1', options());
    return await call.catch(() => failureOf(call));
  });
}

describe('a request of a cancelled activity', () => {
  it('is aborted', async () => {
    expect(await cancelledWhileAsking(() => undefined)).toMatchObject({ code: 'ABORTED' });
  });

  it('gets its response when it is a write that is sent once', async () => {
    const found = await cancelledWhileAsking(() => new FencedWrite().options);
    expect(found).toMatchObject({ id: 'i1' });
  });
});
