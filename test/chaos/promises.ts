import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { RunRecord } from '../../src/model/run/run';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from './site';

/** What a site looked like before a run. */
export interface Mark {
  /** Exports that Portolan has sent off since then. */
  readonly exports: () => number;
  /** Imports that Portolan has sent off since then, whether the portal has heard them or not. */
  readonly imports: () => number;
  /** Imports that the portal's own log has since then: which items each was to bring. */
  readonly importsOnLog: () => readonly (readonly string[])[];
}

export interface Seen {
  readonly mark: Mark;
  /** Imports that were sent off before each resume. */
  readonly importsBefore: readonly number[];
}

/** How a run goes that nobody disturbs. */
interface Undisturbed {
  /** In how many packages. @default 1 */
  readonly packages?: number;
  /** Ids of items that stay as an earlier run brought them. @default none */
  readonly stays?: readonly string[];
}

/** Everything that is promised of a run, however often it was killed: what is not so, a sentence each. */
export async function problemsOf(
  site: Site,
  record: RunRecord,
  { mark, importsBefore }: Seen,
  { packages = 1, stays = [] }: Undisturbed = {},
): Promise<string[]> {
  const problems: string[] = [];
  const promise = (isKept: boolean, otherwise: string): void => void (isKept || problems.push(otherwise));
  const { status, target, error } = record;
  promise(
    status === 'succeeded' && target === 'changed',
    `ended ${status}, target ${target}: ${error?.code ?? ''} ${error?.message ?? record.parked?.reason ?? ''}`,
  );
  const lists = Object.entries(record.items ?? {}).map(([list, entries]) => `${list} ${lengthOf(entries)}`);
  const imported = `imported ${Object.keys(site.group).length - stays.length}`;
  promise(
    lists.filter((list) => !list.endsWith(' 0')).join() ===
      (stays.length > 0 ? `${imported},same ${stays.length}` : imported),
    `accounts for its items as ${lists.join(', ')}`,
  );
  const parts = record.package?.parts ?? 1;
  promise(parts === packages, `went in ${parts} packages`);
  promise(lengthOf(record.verification?.findings) === 0, 'has findings');
  promise(record.leftRunning.length === 0, `left running: ${record.leftRunning.join('; ')}`);
  // The account of these routes is no administrator, and may not read disk figures.
  const warnings = record.warnings.filter((warning) => !warning.startsWith('disk on '));
  promise(warnings.length === 0, `warns: ${warnings.join('; ')}`);

  importsBefore.forEach((count, resumes) =>
    promise(count <= packages + resumes, `had posted ${count} imports before resume ${resumes + 1}`),
  );
  const most = packages + importsBefore.length;
  promise(mark.imports() <= most, `posted ${mark.imports()} imports with ${importsBefore.length} resumes`);
  const onLog = mark.importsOnLog();
  promise(onLog.length <= most, `the portal took ${onLog.length} imports`);
  const twice = onLog.flat().filter((itemId, at, all) => all.indexOf(itemId) !== at);
  promise(importsBefore.length > 0 || twice.length === 0, `imported ${twice.join()} twice`);
  promise(!onLog.flat().some((itemId) => stays.includes(itemId)), 'imported what was to stay');

  for (const [name, itemId] of Object.entries(site.group)) {
    const [there, here] = await Promise.all([site.source.hashOf(itemId), site.target.hashOf(itemId)]);
    promise(there === here, `"${name}" is not on the target as it is on the source`);
  }
  promise(!existsSync(path.join(site.runFolder(record.runId), 'working')), 'left working pages in the store');
  problems.push(...(await leftOn(site)));
  return problems;
}

/** What is still somewhere although no run is under way: packages on the portals or in the store, runs in portal queues. */
export async function leftOn(site: Site): Promise<string[]> {
  const packages = [await site.source.packages(), await site.target.packages()].flat();
  const kept = filesIn(path.join(site.folder, 'var', 'store', 'packages'));
  const queues = await takenSlots(site);
  return [
    ...packages.map((title) => `left the package ${title}`),
    ...kept.map((name) => `left ${name} in the store`),
    ...queues.map((queue) => `holds a slot or waits: ${JSON.stringify(queue)}`),
  ];
}

const lengthOf = (list: readonly unknown[] | { count: number } | undefined): number =>
  list === undefined ? 0 : 'count' in list ? list.count : list.length;

const filesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

interface PortalQueue {
  readonly holders: readonly unknown[];
  readonly waiting: readonly unknown[];
}

/** Portal queues hear of an end a moment later. Returns those that list a run even then. */
async function takenSlots(site: Site): Promise<PortalQueue[]> {
  for (let tries = 1; ; tries++) {
    const queues = JSON.parse(await site.type('queue', 'list', '-o', 'json')) as PortalQueue[];
    const taken = queues.filter(({ holders, waiting }) => holders.length + waiting.length > 0);
    if (taken.length === 0 || tries === 10) return taken;
    await sleep(1_000);
  }
}
