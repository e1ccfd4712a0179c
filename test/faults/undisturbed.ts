import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Came, oneSync, openRehearsal } from './a-sync';
import { type Endpoint, endpointsOf, itemIdsIn, titleOf } from './endpoints';

/** What a sync calls, and what it comes to, where nothing disturbs it. */
export interface Undisturbed {
  readonly endpoints: readonly Endpoint[];
  readonly small: Came;
  readonly inParts: Came;
}

const fileIn = (folder: string): string => path.join(folder, 'undisturbed.json');

/** Two syncs, one of a small package and one of a package that goes up in parts. */
export async function rehearseUndisturbed(folder: string): Promise<void> {
  const [small, large] = [await openRehearsal(false), await openRehearsal(true)];
  try {
    const came = { small: await oneSync(small), inParts: await oneSync(large) };
    const ofLarge = itemIdsIn(large);
    const items = new Set([...itemIdsIn(small)].filter((id) => ofLarge.has(id)));
    // What the small one calls too is tried there, which costs a third.
    const endpoints = new Map(
      [...endpointsOf(large, { inParts: true, items }), ...endpointsOf(small, { inParts: false, items })].map(
        (endpoint) => [`${endpoint.side} ${titleOf(endpoint)}`, endpoint],
      ),
    );
    const all: Undisturbed = { endpoints: [...endpoints.values()], ...came };
    await writeFile(fileIn(folder), JSON.stringify(all));
  } finally {
    await Promise.all([small.close(), large.close()]);
  }
}

/** What `rehearseUndisturbed` has left. */
export const readUndisturbed = (folder: string): Undisturbed =>
  JSON.parse(readFileSync(fileIn(folder), 'utf8')) as Undisturbed;
