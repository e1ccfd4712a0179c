import { hostedAddresses } from '../../../../src/domain/transfer/classify-item';
import { countHostedLayers } from '../../../../src/domain/transfer/layers';
import { openVerification, originOn } from '../../../../src/domain/transfer/verify/verification';
import { type ExpectedItem, verifyItem } from '../../../../src/domain/transfer/verify/verify-item';
import { readPortalFacts } from '../../../../src/domain/transfer/portal-facts';
import { routeAddresses } from '../../../../src/domain/transfer/references/addresses';
import { readItem } from '../../../../src/portal/resources/items/items';
import type { Portal } from '../../../../src/portal/client';
import {
  transportGroupId,
  transportItems as ids,
  transportTargetGroupId,
} from '../../../../src/simulator/seed/transport';
import { itemsOf, setData, TwoPortals } from '../two-portals';

/** All that export takes but the large image. */
export const carried = [
  ids.map,
  ids.scene,
  ids.app,
  ids.story,
  ids.experience,
  ids.csv,
  ids.pdf,
  ids.roads,
  ids.projects,
  ids.boundaries,
];

export const two = new TwoPortals();

/** The source as the last verification sees it. */
export let connected: Portal;

/** A verification as the phase opens it, after the import. */
export async function verification(user: 'admin' | 'owner' = 'admin') {
  const source = two.connect('source', user);
  const target = two.connect('target', user);
  const [from, to] = [await readPortalFacts(source), await readPortalFacts(target)];
  const there = await itemsOf(two.connect('source', user), transportGroupId);
  const here = await itemsOf(two.connect('target', user), transportTargetGroupId);
  connected = source;
  return openVerification({
    origin: originOn(source),
    target,
    targetGroupId: transportTargetGroupId,
    account: to,
    listed: new Map(here.map((item) => [item.id, item])),
    addresses: routeAddresses(from.addresses, to.addresses, {
      source: hostedAddresses(there),
      target: hostedAddresses(here),
    }),
  });
}

export async function expectedOf(itemId: string, more: Partial<ExpectedItem> = {}) {
  const source = two.connect('source', 'owner');
  const item = await readItem(source, itemId);
  const layers = item.type === 'Feature Service' ? await countHostedLayers(source, item) : undefined;
  return { itemId, type: item.type, title: item.title, layers, ...more };
}

/** What a verification as the administrator finds of an item. */
export const verified = async (itemId: string, more?: Partial<ExpectedItem>) =>
  verifyItem(await verification(), await expectedOf(itemId, more));

/** Replaces the data of an item on the target behind everyone's back. */
export async function setTargetData(itemId: string, change: (text: string) => string) {
  const { files } = two.target.world;
  await setData(two.target, itemId, change((await files.readText(files.dataPath(itemId))) ?? ''));
}

export async function setTargetResource(itemId: string, resource: string, json: object) {
  const { files, resources } = two.target.world;
  const size = await files.write(files.resourcePath(itemId, resource), JSON.stringify(json));
  resources.change(`${itemId}/${resource}`, { size });
}

/** Watches how many calls of a portal are under way at one moment. */
export function gauge(portal: Portal) {
  const seen = { most: 0 };
  let running = 0;
  const watched = <T>(call: Promise<T>) => {
    running += 1;
    seen.most = Math.max(seen.most, running);
    return call.finally(() => (running -= 1));
  };
  const [call, open] = [portal.call.bind(portal), portal.open.bind(portal)];
  portal.call = (...request) => watched(call(...request));
  portal.open = (...request) => watched(open(...request));
  return seen;
}
