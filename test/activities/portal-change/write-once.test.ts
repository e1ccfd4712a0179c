import { describe, expect, it } from '@jest/globals';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { writeOnce } from '../../../src/activities/attempt/post-once';
import type { ErrorCode } from '../../../src/model/errors/error-codes';
import { PortolanError } from '../../../src/model/errors/errors';
import { mayHaveBegun } from '../../../src/workflows/run/failure';
import { Attempts } from '../attempt/attempts';

/** A portal that answers as it is told: a code is an error. */
const portal: { post?: ErrorCode; look: ErrorCode | boolean; posts: number; mayBeThere: boolean[] } = {
  look: false,
  posts: 0,
  mayBeThere: [],
};

const answer = async <T>(given: T | ErrorCode) => {
  if (typeof given === 'string')
    throw new PortolanError(given as ErrorCode, 'production answered so', { portal: 'production' });
  return given;
};

function written(post: ErrorCode, look: ErrorCode) {
  Object.assign(portal, { post, look, posts: 0, mayBeThere: [] });
  return new Attempts(() =>
    writeOnce({
      isThere: () => answer<boolean>(portal.look),
      post: async ({ beforeSending }, mayBeThere) => {
        portal.mayBeThere.push(mayBeThere);
        await beforeSending?.();
        portal.posts += 1;
        await answer(portal.post);
      },
    }),
  );
}

/** As the workflow sees it. */
const mayBeThere = (thrown: unknown) => {
  expect(thrown).toBeInstanceOf(ApplicationFailure);
  const cause = thrown as ApplicationFailure;
  const failure = new ActivityFailure('failed', 'writeChange', '1', 'NON_RETRYABLE_FAILURE', 'worker', cause);
  return mayHaveBegun(failure, { target: { portal: 'production' } });
};

describe('a repeated write', () => {
  it('may have succeeded when its response was lost, even if later looks are refused', async () => {
    const write = written('CONNECTION_LOST', 'CONNECTION_REFUSED');
    expect(mayBeThere(await write.next())).toBe(true);
    expect(mayBeThere(await write.next())).toBe(true);
    portal.look = 'PERMISSION_DENIED';
    expect(mayBeThere(await write.next())).toBe(true);
    expect(portal.posts).toBe(1);
  });

  it('may have succeeded when a worker was killed before its first heartbeat', async () => {
    const write = written('CONNECTION_REFUSED', 'CONNECTION_REFUSED');
    await write.next();
    write.said = undefined;
    expect(mayBeThere(await write.next())).toBe(true);
  });

  it('has not succeeded when no attempt reached the portal', async () => {
    const write = written('CONNECTION_REFUSED', 'CONNECTION_REFUSED');
    expect(mayBeThere(await write.next())).toBe(false);
    expect(mayBeThere(await write.next())).toBe(false);
    portal.look = 'PERMISSION_DENIED';
    expect(mayBeThere(await write.next())).toBe(false);
  });

  it('learns whether an earlier attempt may have written', async () => {
    const write = written('CONNECTION_REFUSED', 'PERMISSION_DENIED');
    await write.next();
    await write.next();
    Object.assign(portal, { post: 'CONNECTION_LOST', look: false });
    await write.next();
    await write.next();
    expect(portal.mayBeThere).toEqual([false, false, false, true]);
  });

  it('is not posted again when the portal shows it', async () => {
    const write = written('CONNECTION_LOST', 'UNAVAILABLE');
    expect(await write.next()).toMatchObject({ type: 'CONNECTION_LOST' });
    portal.look = true;
    expect(await write.next()).toBeUndefined();
    expect(portal.posts).toBe(1);
  });
});
