import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Site } from '../support/site';
import { type Came, oneSync, openSite } from './a-sync';
import {
  asksFirst,
  type Endpoint,
  endpointsOf,
  endpointsOfSecond,
  itemIdsIn,
  type Shape,
  shapes,
  titleOf,
} from './endpoints';

/** What a sync calls, and what it comes to, where nothing disturbs it. */
export interface Undisturbed {
  readonly endpoints: readonly Endpoint[];
  readonly came: Readonly<Record<Shape, Came>>;
}

const fileIn = (folder: string): string => path.join(folder, 'undisturbed.json');

/** What writes into a group, or makes a package of one: tried in what changed too, though nothing asks it differently. */
const posts: readonly string[] = ['group.export', 'group.import'];

/** A sync of each shape. */
export async function syncUndisturbed(folder: string): Promise<void> {
  const opened = await Promise.all(shapes.map(async (shape) => [shape, await openSite(shape)] as const));
  try {
    const came: [Shape, Came][] = [];
    for (const [shape, site] of opened) came.push([shape, await oneSync(site, shape)]);
    const by = Object.fromEntries(opened) as Record<Shape, Site>;
    const ofLarge = itemIdsIn(by['in parts']);
    const items = new Set([...itemIdsIn(by.small)].filter((id) => ofLarge.has(id)));
    const all: Undisturbed = {
      endpoints: endpointsIn(by, items),
      came: Object.fromEntries(came) as Record<Shape, Came>,
    };
    await writeFile(fileIn(folder), JSON.stringify(all));
  } finally {
    await Promise.all(opened.map(([, site]) => site.close()));
  }
}

/** Each call once, in the cheapest sync that makes it; and those again that a sync of another shape makes otherwise. */
function endpointsIn(by: Readonly<Record<Shape, Site>>, items: ReadonlySet<string>): Endpoint[] {
  const whole = (['in parts', 'small'] as const).flatMap((shape) => endpointsOf(by[shape], { shape, items }));
  const asked = asksFirst(by.small, { shape: 'small', items });
  const changed = { shape: 'what changed', items } as const;
  const first = asksFirst(by['what changed'], { ...changed, shape: 'small' });
  const differs = (endpoint: Endpoint): boolean => {
    const title = `${endpoint.side} ${titleOf({ ...endpoint, shape: 'small' })}`;
    return first.has(title) && !asked.has(title);
  };
  const all = [
    ...whole,
    ...endpointsOfSecond(by['two packages'], { shape: 'two packages', items }),
    ...endpointsOf(by['what changed'], changed).filter(
      (endpoint) => posts.includes(endpoint.operation) || differs(endpoint),
    ),
  ];
  return [...new Map(all.map((endpoint) => [`${endpoint.side} ${titleOf(endpoint)}`, endpoint])).values()];
}

/** What `syncUndisturbed` has left. */
export const readUndisturbed = (folder: string): Undisturbed =>
  JSON.parse(readFileSync(fileIn(folder), 'utf8')) as Undisturbed;
