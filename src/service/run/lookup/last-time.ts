import type { RunRow } from '../../../contract/run-row';
import { mapLimited } from '../../../model/map-limited';
import { runPage } from '../run-rows';
import type { ReadContext } from '../run-sources';
import type { LastTime, RowWithRecord } from './row-records';

/** Concurrent lookups. */
const ROUTES_AT_A_TIME = 4;
/** Kinds share a route, so several successes are read to find one of the kind. */
const LOOKED_AT = 6;

/** Adds to open rows how the last successful run went, if known. */
export async function withLastTimes(
  sources: ReadContext,
  rows: readonly RowWithRecord[],
): Promise<RowWithRecord[]> {
  const routes = [...new Set(rows.filter(({ row }) => isGoing(row)).map(({ row }) => row.route))];
  const looked = await mapLimited(routes, ROUTES_AT_A_TIME, async (route) => {
    const page = await runPage(sources, { route, status: 'succeeded', limit: LOOKED_AT });
    return [route, page.rows] as const;
  });
  const byRoute = new Map(looked);
  return rows.map((each) => ({ ...each, last: lastOf(each.row, byRoute.get(each.row.route) ?? []) }));
}

const isGoing = ({ status }: RunRow): boolean => status === 'running';

function lastOf(row: RunRow, before: readonly RunRow[]): LastTime | undefined {
  if (!isGoing(row)) return undefined;
  const last = before.find(({ kind, operation }) => kind === row.kind && operation === row.operation);
  if (last?.finishedAt === undefined) return undefined;
  const tookMs = Date.parse(last.finishedAt) - Date.parse(last.startedAt);
  return tookMs >= 0 ? { tookMs, finishedAt: last.finishedAt } : undefined;
}
