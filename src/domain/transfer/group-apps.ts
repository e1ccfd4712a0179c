import { mapLimited } from '../../model/map-limited';
import type { PlanRow } from '../../model/transfer/plan';
import type { RunRoute } from '../../model/transfer/route';
import type { Portal } from '../../portal/client';
import { REQUESTS_AT_A_TIME } from '../../portal/http/limiter';
import type { CallOptions } from '../../portal/http/request';
import { readContent } from './references/item-content';
import { lookupOn } from './references/lookup';
import { reasonOf, retrier } from './retry';

/** Wire type of apps, whose data says what configures them. docs/reference/portal-interface.md, "References" */
const APP_TYPE = 'Web Mapping Application';

const id32 = /^[0-9a-f]{32}$/i;

const recordOf = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;

const valuesOf = (data: unknown): Record<string, unknown> | undefined => recordOf(recordOf(data)?.['values']);

/** Whether an app's data has it configured by `values.group`, and by no map or scene. */
export function isGroupApp(data: unknown): boolean {
  const values = valuesOf(data);
  return Boolean(values?.['group']) && !values?.['webmap'] && !values?.['webscene'];
}

/** Id of the group that an app's data names in `values.group`, beside a map or not. */
export function groupShownBy(data: unknown): string | undefined {
  const group = [valuesOf(data)?.['group']].flat()[0];
  return typeof group === 'string' && id32.test(group.trim()) ? group.trim().toLowerCase() : undefined;
}

/**
 * The data of the apps among items, by their ids. What cannot be read is absent: such an app is classified by its record.
 *
 * @throws PortolanError when the portal is out of reach
 */
export async function readAppData(
  portal: Portal,
  items: readonly { readonly id: string; readonly type?: string | null }[],
  options?: CallOptions,
): Promise<Map<string, unknown>> {
  const retry = retrier(options?.signal);
  const read = new Map<string, unknown>();
  const apps = items.filter(({ type }) => type === APP_TYPE);
  await mapLimited(apps, REQUESTS_AT_A_TIME, async ({ id, type }) => {
    try {
      const { content } = await readContent(portal, { id, type }, options, retry);
      read.set(id, content.data);
    } catch (thrown) {
      reasonOf(thrown);
    }
  });
  return read;
}

/**
 * Which of these groups a portal does not have, as far as this account sees.
 *
 * @throws PortolanError where the portal gave neither yes nor no
 */
export async function missingGroups(
  portal: Portal,
  groupIds: Iterable<string>,
  options?: CallOptions,
): Promise<Set<string>> {
  const lookup = lookupOn(portal, retrier(options?.signal), new Set(), options);
  const missing = new Set<string>();
  await mapLimited([...new Set(groupIds)], REQUESTS_AT_A_TIME, async (groupId) => {
    if ((await lookup.group(groupId)).state !== 'there') missing.add(groupId);
  });
  return missing;
}

/**
 * The row of an app with what is to be done about its group: an import leaves the id as it is, and groups have another
 * one on each portal.
 *
 * @param group that configures the app and that the target does not have
 */
export function withGroup<R extends PlanRow>(
  row: R,
  group: string | undefined,
  { source, target }: Pick<RunRoute, 'source'> & { readonly target: RunRoute['source'] },
): R {
  if (group === undefined || (row.action !== 'create' && row.action !== 'overwrite')) return row;
  const counterpart = group === source.groupId ? target.groupId : 'another one';
  const words = `configured by group ${group} of ${source.portal}, which ${target.portal} does not have; set it to ${counterpart} there`;
  return { ...row, group, reason: [row.reason, words].filter(Boolean).join('; ') };
}
