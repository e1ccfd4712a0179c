import type { z } from 'zod';
import { parseTaskRef } from '../model/portal-change/task-run';
import { isLoopback, portalIdentities } from '../model/identity';
import type { ScheduledKind } from '../model/schedule/schedule';
import { parseRuleRoute, ruleRoute } from '../model/snapshot/rule-route';
import { entries, type FileRemains, isUnset, type KnownNames, mayBe, remainsOf } from './file-remains';
import { pipelineProblems } from './pipeline-checks';
import { unknownName } from './problems';
import { urlProblem, webhookUrlProblem } from './url-problem';

/**
 * Problems between parts of the file, in what the schema could read of it. The schema would skip such checks wherever
 * anything else is wrong, and one message should list all problems.
 */
export const crossProblems = (given: unknown, issues: readonly z.core.$ZodIssue[]): string[] => [
  ...problemsBetween(remainsOf(given, issues)),
];

function* problemsBetween(file: FileRemains): Generator<string> {
  const { portals = {}, routes = {}, pipelines = {}, schedules = {}, notify = [], hooks = {} } = file;
  const known = {
    portals: Object.keys(portals),
    routes: Object.keys(routes),
    pipelines: Object.keys(pipelines),
  };
  yield* storeProblems(file.store);
  for (const [name, portal] of entries(portals)) yield* portalProblems(`portals.${name}`, portal);
  if ('adhoc' in routes) yield 'routes.adhoc: this name is reserved for --from … --into …';
  for (const [name, { source, target, taskRun }] of entries(routes)) {
    yield* unknownName(`routes.${name}.source.portal`, 'portal', source?.portal, known.portals);
    yield* unknownName(`routes.${name}.target.portal`, 'portal', target?.portal, known.portals);
    const task = taskRun === undefined ? undefined : parseTaskRef(taskRun);
    yield* unknownName(`routes.${name}.taskRun`, 'portal', task?.portal, known.portals);
  }
  for (const [name, schedule] of entries(schedules))
    yield* scheduleProblems(`schedules.${name}`, schedule, file, known);
  const identities = new Map(
    entries(portals).map(([name, { url, aliases = [] }]) => [
      name,
      portalIdentities({ url: url ?? '', aliases: aliases.filter((each) => each !== undefined) }),
    ]),
  );
  for (const [name, pipeline] of entries(pipelines))
    yield* pipelineProblems(name, pipeline, { identities, ...known });
  const rules = entries(portals).flatMap(([portal, { protect = {} }]) =>
    Object.keys(protect).map((rule) => ruleRoute(portal, rule)),
  );
  const told = [...known.routes, ...known.pipelines, ...rules];
  for (const [index, receiver] of notify.entries())
    if (receiver) yield* receiverProblems(`notify.${index}`, receiver, told);
  yield* doubleNames(Object.keys(hooks), notify);
  for (const [name, hook] of entries(hooks))
    yield* hookProblems(`hooks.${name}`, hook, file, { ...known, rules });
  yield* serveProblems(file, known);
}

function* storeProblems(store: FileRemains['store'] = {}): Generator<string> {
  if (!('endpoint' in store) || store.endpoint === undefined || mayBe(store, 'insecure')) return;
  const unencrypted = 'would send stored data unencrypted; use https, or set store.insecure: true';
  const problem = urlProblem(store.endpoint, { unencrypted });
  if (problem !== undefined) yield `store.endpoint: ${problem}`;
}

function* portalProblems(
  place: string,
  portal: NonNullable<NonNullable<FileRemains['portals']>[string]>,
): Generator<string> {
  const { url, policy } = portal;
  const unencrypted = 'would send the password unencrypted; use https, or set insecure: true for this portal';
  if (url !== undefined && !mayBe(portal, 'insecure')) {
    const problem = urlProblem(url, { unencrypted });
    if (problem !== undefined) yield `${place}.url: ${problem}`;
  }
  for (const [index, window] of (policy?.windows ?? []).entries()) {
    if (window === undefined) continue;
    const at = `${place}.policy.windows.${index}`;
    const { from, to } = window.deny ?? {};
    if ('allow' in window === 'deny' in window) yield `${at}: set either allow or deny`;
    else if (from !== undefined && to !== undefined && from > to)
      yield `${at}.deny: ends on ${to}, before it begins on ${from}`;
  }
}

/** The kinds that have a key, for keys that not all kinds have. */
const kindsWith = {
  route: ['backup', 'sync', 'drill'],
  pipeline: ['release', 'promote'],
  stage: ['promote'],
  reason: ['release', 'promote'],
  import: ['drill'],
} as const satisfies Record<string, readonly ScheduledKind[]>;
const keysOfKinds = Object.keys(kindsWith) as (keyof typeof kindsWith)[];

function* scheduleProblems(
  place: string,
  schedule: NonNullable<NonNullable<FileRemains['schedules']>[string]>,
  { routes = {}, pipelines = {} }: FileRemains,
  known: KnownNames,
): Generator<string> {
  const { route, pipeline, stage } = schedule;
  const kind = schedule.kind ?? ('kind' in schedule ? undefined : 'backup');
  if (kind === undefined) return;
  const has = (key: keyof typeof kindsWith): boolean =>
    (kindsWith[key] as readonly ScheduledKind[]).includes(kind);
  for (const key of ['route', 'pipeline', 'stage'] as const)
    if (has(key) && !(key in schedule)) yield `${place}.${key}: is missing`;
  if (has('route')) yield* unknownName(`${place}.route`, 'route', route, known.routes);
  if (has('pipeline')) yield* unknownName(`${place}.pipeline`, 'pipeline', pipeline, known.pipelines);
  const drilled = kind === 'drill' && route !== undefined ? routes[route] : undefined;
  if (drilled && isUnset(drilled, 'backup', 'drill'))
    yield `${place}.route: routes.${route}.backup.drill is not set`;
  const stages = Object.keys(pipelines[pipeline ?? '']?.stages ?? {});
  if (has('stage') && stage !== undefined && stages.length > 0) {
    if (stage === stages[0])
      yield `${place}.stage: is the first stage, where releases are created; nothing is promoted there`;
    else yield* unknownName(`${place}.stage`, 'stage', stage, stages);
  }
  for (const key of keysOfKinds)
    if (key in schedule && !has(key)) yield `${place}.${key}: needs kind: ${kindsWith[key].join(' or ')}`;
}

function* receiverProblems(
  place: string,
  receiver: NonNullable<NonNullable<FileRemains['notify']>[number]>,
  routes: readonly string[],
): Generator<string> {
  const { webhook } = receiver;
  for (const route of receiver.routes ?? [])
    yield* unknownName(`${place}.routes`, 'route, pipeline or rule', route, routes);
  if ('command' in receiver === 'webhook' in receiver) yield `${place}: set either command or webhook`;
  else if ('command' in receiver && 'secret' in receiver)
    yield `${place}.secret: signs webhooks only; a command needs no secret`;
  else if ('command' in receiver && 'format' in receiver)
    yield `${place}.format: belongs to a webhook; a command gets JSON`;
  else if ('format' in receiver && 'secret' in receiver)
    yield `${place}.secret: signs JSON only; remove it or format`;
  else if (typeof webhook === 'string') {
    const problem = webhookUrlProblem(webhook, mayBe(receiver, 'insecure'));
    if (problem !== undefined) yield `${place}.webhook: ${problem}`;
  }
}

function* doubleNames(
  hooks: readonly string[],
  notify: NonNullable<FileRemains['notify']>,
): Generator<string> {
  const taken = new Set(hooks);
  for (const [index, receiver] of notify.entries()) {
    const name = receiver?.name ?? `notify.${index}`;
    if (taken.has(name))
      yield `notify.${index}.name: "${name}" is already the name of another receiver or hook`;
    taken.add(name);
  }
}

function* hookProblems(
  place: string,
  hook: NonNullable<NonNullable<FileRemains['hooks']>[string]>,
  { pipelines = {}, routes = {} }: FileRemains,
  known: KnownNames & { readonly rules: readonly string[] },
): Generator<string> {
  const ways = ['route', 'pipeline', 'portal'].filter((each) => each in hook);
  if (ways.length !== 1)
    return yield `${place}: set either route, or pipeline and stage, or portal and routes`;
  if ('routes' in hook && !('portal' in hook)) yield `${place}.routes: belongs to a portal`;
  if ('portal' in hook) {
    const { portal } = hook;
    yield* unknownName(`${place}.portal`, 'portal', portal, known.portals);
    if (!('routes' in hook)) yield `${place}.routes: is missing`;
    for (const key of ['stage', 'allow'] as const)
      if (key in hook) yield `${place}.${key}: a portal's webhook sets nothing`;
    const own = [
      ...known.routes.filter((name) => routes[name]?.source?.portal === portal),
      ...known.rules.filter((name) => parseRuleRoute(name)?.portal === portal),
    ];
    for (const name of hook.routes ?? [])
      yield* unknownName(`${place}.routes`, `route or rule of portal ${portal}`, name, own);
    return;
  }
  if ('route' in hook) {
    yield* unknownName(`${place}.route`, 'route', hook.route, known.routes);
    if ('stage' in hook) yield `${place}.stage: belongs to a pipeline`;
    if (hook.allow?.includes('release')) yield `${place}.allow: a route has no releases`;
    return;
  }
  yield* unknownName(`${place}.pipeline`, 'pipeline', hook.pipeline, known.pipelines);
  if (!('stage' in hook)) yield `${place}.stage: is missing`;
  const { stages } = pipelines[hook.pipeline ?? ''] ?? {};
  if (stages) yield* unknownName(`${place}.stage`, 'stage', hook.stage, Object.keys(stages));
}

/** Problems that open the server to the wrong callers. */
function* serveProblems(file: FileRemains, known: KnownNames): Generator<string> {
  const { serve = {} } = file;
  const { address = '127.0.0.1:8350', url, signIn, open } = serve;
  yield* unknownName('serve.signIn.portal', 'portal', signIn?.portal, known.portals);
  if ('codec' in serve && isUnset(file, 'temporal', 'encryption'))
    yield 'serve.codec: nothing to decrypt; list the keys in temporal.encryption';
  const page = new URL(url ?? 'http://localhost');
  if ('signIn' in serve && page.protocol !== 'https:' && !isLoopback(page.hostname))
    yield `serve.url: people would sign in at ${page.host} over plain http; use https`;
  if (open && !isLoopback(page.hostname))
    yield `serve.open: accepts everyone, and ${page.host} of serve.url is not a loopback address`;
  if (isLoopback(address.replace(/:\d+$/, ''))) return;
  if ('signIn' in serve && !('url' in serve))
    yield 'serve.url: is missing; the portal redirects people to it after sign-in';
  if (open) yield `serve.open: accepts everyone, and ${address} is not a loopback address`;
  if (!mayBe(serve, 'insecure') && !('tls' in serve))
    yield `serve.address: ${address} is open to other machines and would take keys over plain http; set tls, or write insecure: true if a TLS proxy is in front`;
}
