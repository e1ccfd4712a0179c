import { z } from 'zod';
import { parseTaskRef } from '../model/portal-change/task-run';
import { isLoopback } from '../model/address/loopback';
import { portalIdentities } from '../model/address/portal-identity';
import { webhookUrlProblem } from './portal-url';
import { pipelineProblems, plainPipelines } from './pipeline-checks';
import { plainSchedule, scheduleProblems } from './schedule-checks';
import { hookProblems } from './file/hook-schema';
import { serveProblems } from './file/serve-schema';
import { unclearWindows } from './file/window-schema';

/** The parts of the file these checks need; the schema reports malformed values. */
const sketch = z.object({
  portals: z.record(z.string(), z.unknown()).catch({}),
  routes: z
    .record(
      z.string(),
      z
        .object({
          source: z.object({ portal: z.string() }).optional().catch(undefined),
          target: z.object({ portal: z.string() }).optional().catch(undefined),
          backup: z.object({ drill: z.unknown() }).partial().optional().catch(undefined),
          taskRun: z.string().transform(parseTaskRef).optional().catch(undefined),
        })
        .catch({}),
    )
    .catch({}),
  schedules: z.record(z.string(), plainSchedule).catch({}),
  pipelines: plainPipelines,
  notify: z.array(z.unknown()).catch([]),
  store: z.unknown().optional(),
});

const plainStore = z.object({ endpoint: z.url(), insecure: z.boolean().optional().catch(undefined) });

const plainPortal = z.object({
  url: z.url(),
  aliases: z.array(z.string()).catch([]),
  insecure: z.boolean().optional().catch(undefined),
});

function identitiesOf(given: unknown): readonly string[] {
  const portal = plainPortal.safeParse(given);
  return portal.success ? portalIdentities(portal.data) : [];
}

/**
 * Problems between parts of the file. These checks are separate from the schema because a schema skips its own cross
 * checks if anything else is wrong, and one message should list all problems.
 */
export function crossProblems(given: unknown): string[] {
  const parsed = sketch.safeParse(given);
  if (!parsed.success) return [];
  const { portals, routes, schedules, pipelines, notify, store } = parsed.data;
  const hasDrill = new Map(
    Object.entries(routes).map(([name, { backup }]) => [name, backup?.drill !== undefined]),
  );
  const stagesOf = new Map(
    Object.entries(pipelines).map(([name, { stages }]) => [name, Object.keys(stages)]),
  );
  const identities = new Map(Object.entries(portals).map(([name, portal]) => [name, identitiesOf(portal)]));
  return [
    ...unencryptedStore(store),
    ...Object.entries(portals).flatMap(([name, portal]) => [
      ...unencrypted(name, portal),
      ...unclearWindows(`portals.${name}.policy.windows`, portal),
    ]),
    ...Object.keys(routes)
      .filter((name) => name === 'adhoc')
      .map((name) => `routes.${name}: this name is reserved for --from … --into …`),
    ...Object.entries(routes).flatMap(([name, { source, target, taskRun }]) => [
      ...unknownPortal(`routes.${name}.source.portal`, source?.portal, Object.keys(portals)),
      ...unknownPortal(`routes.${name}.target.portal`, target?.portal, Object.keys(portals)),
      ...unknownPortal(`routes.${name}.taskRun`, taskRun?.portal, Object.keys(portals)),
    ]),
    ...Object.entries(schedules).flatMap(([name, schedule]) =>
      scheduleProblems(`schedules.${name}`, schedule, { hasDrill, stagesOf }),
    ),
    ...Object.entries(pipelines).flatMap(([name, pipeline]) =>
      pipelineProblems(name, pipeline, { portals: identities, routes: Object.keys(routes) }),
    ),
    ...notify.flatMap((receiver, index) => unclearReceiver(`notify.${index}`, receiver)),
    ...hookProblems(given, { routes: Object.keys(routes), stagesOf }),
    ...serveProblems(given),
  ];
}

const plainReceiver = z.object({
  command: z.unknown().optional(),
  webhook: z.unknown().optional(),
  secret: z.unknown().optional(),
  insecure: z.boolean().default(false).catch(false),
});

function unclearReceiver(setting: string, given: unknown): string[] {
  const receiver = plainReceiver.safeParse(given);
  if (!receiver.success) return [];
  const { command, webhook, secret, insecure } = receiver.data;
  if ((command === undefined) === (webhook === undefined))
    return [`${setting}: set either command or webhook`];
  if (command !== undefined && secret !== undefined)
    return [`${setting}.secret: signs webhooks only; a command needs no secret`];
  const problem = typeof webhook === 'string' ? webhookUrlProblem(webhook, insecure) : undefined;
  return problem === undefined ? [] : [`${setting}.webhook: ${problem}`];
}

function unencrypted(name: string, given: unknown): string[] {
  const portal = plainPortal.safeParse(given);
  if (!portal.success || portal.data.insecure === true) return [];
  const { protocol, hostname } = new URL(portal.data.url);
  if (protocol !== 'http:' || isLoopback(hostname)) return [];
  return [
    `portals.${name}.url: would send the password unencrypted; use https, or set insecure: true for this portal`,
  ];
}

function unencryptedStore(given: unknown): string[] {
  const store = plainStore.safeParse(given);
  if (!store.success || store.data.insecure === true) return [];
  const { protocol, hostname } = new URL(store.data.endpoint);
  if (protocol !== 'http:' || isLoopback(hostname)) return [];
  return ['store.endpoint: would send stored data unencrypted; use https, or set store.insecure: true'];
}

function unknownPortal(setting: string, portal: string | undefined, known: readonly string[]): string[] {
  if (portal === undefined || known.includes(portal)) return [];
  return [`${setting}: unknown portal "${portal}"; defined: ${known.join(', ') || 'none'}`];
}
