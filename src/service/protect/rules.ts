import { PortalPool } from '../../config/portal-pool';
import { findPortal } from '../../config/resolve-route';
import { lastCoverage, readCoverage } from '../../domain/protect/coverage';
import { findRule } from '../../config/resolve-rule';
import type { protectOperations, RuleDetail, RuleRow } from '../../contract/protect';
import { runGroups } from '../../domain/protect/rule-groups';
import { groupStates, type GroupState, type NotedRule, readRules } from '../../domain/protect/rule-state';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import { PortolanError } from '../../model/errors/errors';
import { runRecord } from '../../model/run/run';
import { keys } from '../../store/keys';
import type { Handlers } from '../context';
import { prepareProtect } from '../start/protect';
import { starting } from '../start/starts';

export const protectHandlers: Handlers<typeof protectOperations> = {
  async listRules(context) {
    const rules = await readRules(context.config, context.store);
    const now = Date.now();
    return rules.map((noted) => rowOf(noted, groupStates(noted, now)));
  },

  async readRule(context, { rule: text }) {
    const { config, store } = context;
    const [noted] = await readRules(config, store, [findRule(config, text)]);
    if (!noted) throw new PortolanError('INTERNAL', `no rule ${text}`);
    const states = groupStates(noted, Date.now());
    const { runId } = noted.known ?? {};
    const record = runId === undefined ? undefined : await store.readJson(keys.record(runId), runRecord);
    const looked = runId === undefined ? undefined : await store.readJson(keys.runGroups(runId), runGroups);
    const children = new Map(record?.children?.map((child) => [child.groupId, child]));
    const rows = noted.known?.groups.map(({ id: groupId, title, owner }): RuleDetail['rows'][number] => {
      const child = children.get(groupId);
      const state = states.get(groupId);
      return {
        groupId,
        title,
        owner,
        status: child?.status,
        runId: child?.runId,
        durationMs: child && durationOf(child),
        items: child?.items,
        sizeBytes: child?.sizeBytes,
        snapshotId: child?.snapshotId,
        reason: child?.reason,
        lastGoodAt: state?.goodAt,
        overdue: state?.overdue ?? false,
      };
    });
    const former = noted.known?.former ?? [];
    return {
      ...rowOf(noted, states),
      runId,
      rows: rows ?? [],
      changes: looked?.changes ?? [],
      former: former.map(({ id: groupId, title, owner, since, exists, snapshots }) => ({
        groupId,
        title,
        owner,
        since,
        exists,
        snapshots,
      })),
    };
  },

  listCoverage: async ({ config, store }) => await lastCoverage(config, store),

  async readCoverage({ config, store, signal }, { portal }) {
    findPortal(config, portal);
    const portals = new PortalPool(config, signal);
    try {
      const options = { signal, now: Date.now() };
      return await readCoverage(config, openSnapshots(config, store), portals.open(portal), options);
    } finally {
      await portals.close();
    }
  },

  startProtect: async (context, input) => {
    // A rule belongs to no route or pipeline.
    context.may.changeShared();
    return await start(context, input);
  },
};

const start = starting(prepareProtect);

const durationOf = ({
  startedAt,
  finishedAt,
}: {
  startedAt?: string;
  finishedAt?: string;
}): number | undefined =>
  startedAt === undefined || finishedAt === undefined
    ? undefined
    : Date.parse(finishedAt) - Date.parse(startedAt);

function rowOf({ rule, known, outcome }: NotedRule, states: ReadonlyMap<string, GroupState>): RuleRow {
  const { portal, name, groups, exclude, concurrency, schedule, backup } = rule;
  return {
    portal,
    rule: name,
    groups,
    exclude,
    concurrency,
    schedule,
    maxAgeMs: backup.maxAgeMs,
    matched: known?.groups.length,
    overdue: [...states.values()].filter((state) => state.overdue).length,
    last: outcome,
  };
}
