import type { GuardResult } from '../../model/guard';
import { PortolanError } from '../../model/errors';
import type { Portal } from '../../portal/client';
import type { Item } from '../../portal/item';
import { findItem } from '../../portal/items';
import type { CallOptions } from '../../portal/request';
import { isHostedService } from '../classify-item';
import { readContent } from '../item-content';
import { holdsReferences } from '../item-types';
import { limiter, mapLimited, REQUESTS_AT_A_TIME } from '../limiter';
import { type RoutePrefixes, sideOf } from '../prefixes';
import { type Reference, referencesOf } from '../references';
import { serviceAddress } from '../service-url';
import { type ClassifiedItem, titleOf } from './group-items';
import { counted, named, pass, unknown } from './verdict';

const name = 'references';

/** What the guard looks into. */
export interface ReferenceScope {
  readonly source: Portal;
  readonly target: Portal;
  /** The items that the run asks for. */
  readonly items: readonly ClassifiedItem<Item>[];
  readonly prefixes: RoutePrefixes;
  /** Called after each item, for a heartbeat. */
  readonly onItem?: (done: number, of: number) => void;
}

/**
 * Whether what maps, scenes, apps, stories and experiences refer to will be there: among the items that
 * go, or on the target already. What is missing is a warning that names it, never a refusal: such items
 * are imported, and their dependents fail there. A reference that the source does not hold either is no
 * concern of the run.
 *
 * @throws PortolanError when a portal is out of reach; an item that cannot be read is a warning
 */
export async function referencesResolve(scope: ReferenceScope, options?: CallOptions): Promise<GuardResult> {
  const going = scope.items.flatMap(({ item, classification }) =>
    classification.verdict === 'skipped' ? [] : [item],
  );
  const held = holdings(scope, going, options);
  const readers = going.filter((item) => holdsReferences(item.type ?? ''));
  const missing: string[] = [];
  const unread: string[] = [];
  let followed = 0;
  let done = 0;

  await mapLimited(readers, REQUESTS_AT_A_TIME, async (item) => {
    try {
      const { content, unread: parts } = await readContent(scope.source, item, options);
      if (parts.length > 0) unread.push(titleOf(item));
      const seen = new Set<string>();
      for (const reference of referencesOf(content)) {
        if (seen.has(reference.value)) continue;
        seen.add(reference.value);
        const lack = await held.lacks(reference);
        followed += 1;
        if (lack !== undefined) missing.push(`${titleOf(item)}: ${reference.path} names ${lack}`);
      }
    } catch (thrown) {
      const error = PortolanError.from(thrown);
      if (error.meaning.kind === 'transient' || error.code === 'ABORTED') throw error;
      unread.push(titleOf(item));
    }
    done += 1;
    scope.onItem?.(done, readers.length);
  });
  return verdictOf(followed, missing, unread);
}

function verdictOf(followed: number, missing: readonly string[], unread: readonly string[]): GuardResult {
  if (missing.length === 0 && unread.length === 0)
    return pass(name, `${counted(followed, 'reference')}, all held`);
  const parts = [
    ...(missing.length > 0 ? [`neither in the group nor on the target: ${named(missing)}`] : []),
    ...(unread.length > 0 ? [`not readable: ${named(unread)}`] : []),
  ];
  return unknown(name, {
    saw: parts.join('; '),
    needs: 'everything that maps, scenes, apps and stories refer to, in the group or on the target',
    todo: 'Share what is missing with the source group, or have it on the target; the rest of the run is not held up.',
  });
}

interface Holdings {
  /** What is missing of a reference, in words; `undefined` where nothing is. */
  lacks(reference: Reference): Promise<string | undefined>;
}

function holdings(scope: ReferenceScope, going: readonly Item[], options?: CallOptions): Holdings {
  const ids = new Set(going.map((item) => item.id.toLowerCase()));
  const services = new Set(
    going.filter(isHostedService).flatMap((item) => (item.url ? [rootOf(item.url)] : [])),
  );
  const askTarget = limiter();
  const askSource = limiter();
  const known = new Map<string, Promise<string | undefined>>();

  const lacksItem = async (id: string): Promise<string | undefined> => {
    if (await askTarget(() => findItem(scope.target, id, options))) return undefined;
    const item = await askSource(() => findItem(scope.source, id, options));
    return item === undefined ? undefined : `${item.type ?? 'item'} "${item.title ?? id}" (${id})`;
  };

  return {
    async lacks({ kind, value }) {
      if (kind === 'group') return undefined;
      if (kind === 'url') {
        if (serviceAddress(value) === undefined || sideOf(value, scope.prefixes) !== 'source')
          return undefined;
        return services.has(rootOf(value))
          ? undefined
          : `${value}, which is not hosted and stays on ${scope.source.name}`;
      }
      if (ids.has(value)) return undefined;
      const answer = known.get(value) ?? lacksItem(value);
      known.set(value, answer);
      return answer;
    },
  };
}

/** A service's root without scheme and case; layers below it are its own. */
const rootOf = (url: string): string =>
  (serviceAddress(url)?.root ?? url).toLowerCase().replace(/^(https?:)?\/\//, '');
