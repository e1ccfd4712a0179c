import { afterEach, describe, expect, it } from '@jest/globals';
import { importSeen } from '../../../src/activities/transfer/imports';
import { SETTLE_MS } from '../../../src/model/errors/budgets';
import { json, portalError, portalsOf } from '../../portal/raw-portal';
import { Attempts } from '../attempt/attempts';
import { clock } from '../attempt/held-clock';

const startPortal = portalsOf(afterEach);

const held = json({ id: 'p', title: 'package', type: 'Export Package', owner: 'sync' });

describe('an import whose response was lost', () => {
  const target = { package: held, modified: 1, request: 'first' };
  const watch = async () => {
    Object.assign(target, { package: held, modified: 1, request: 'first' });
    const portal = await startPortal({
      'content/items/p': (seen, response) => target.package(seen, response),
      'content/groups/g': (seen, response) =>
        json({ total: 1, nextStart: -1, items: [{ id: 'i', type: 'Web Map', modified: target.modified }] })(
          seen,
          response,
        ),
    });
    const watched = { portal: portal.client(), groupId: 'g', packageItemId: 'p' };
    return new Attempts(() => importSeen(watched, { id: target.request }, 'the import'), clock);
  };

  it('has run when its package is gone', async () => {
    const attempts = await watch();
    target.package = portalError(400, 'Item does not exist or is inaccessible.');
    expect(await attempts.next()).toBe('finished');
  });

  it('is idle when nothing changed for a minute', async () => {
    const attempts = await watch();
    expect(await attempts.next()).toMatchObject({ type: 'NOT_YET' });
    clock.now += SETTLE_MS - 1;
    target.modified = 2;
    expect(await attempts.next()).toMatchObject({ type: 'NOT_YET' });
    expect(await attempts.after(SETTLE_MS - 1)).toMatchObject({ type: 'NOT_YET' });
    expect(await attempts.after(1)).toBe('still');
  });

  it('is watched for another minute when it was sent again', async () => {
    const attempts = await watch();
    await attempts.next();
    expect(await attempts.after(SETTLE_MS)).toBe('still');
    target.request = 'second';
    expect(await attempts.next()).toMatchObject({ type: 'NOT_YET' });
  });
});
