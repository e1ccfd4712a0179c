import { z } from 'zod';
import { signingSecrets } from './plain-values';

/** What whoever calls a hook may say. */
export const hookFields = ['release', 'reason'] as const;
export type HookField = (typeof hookFields)[number];

/** A hook that comes in. That it starts one thing, and one that is there, `hookProblems` sees to. */
export const hook = z.strictObject({
  secret: signingSecrets.meta({
    description:
      'with which whoever calls it signs, as [Standard Webhooks](../guide/notifications.md) say; each of two is taken while one is exchanged for another',
  }),
  route: z.string().min(1).optional().meta({
    form: 'name of a route',
    description: 'what is synced; its plan is approved as the route says',
  }),
  pipeline: z.string().min(1).optional().meta({
    form: 'name of a pipeline',
    description: 'the same of a promotion, in place of a route',
  }),
  stage: z
    .string()
    .min(1)
    .optional()
    .meta({ form: 'name of a stage', description: 'of a promotion: where to' }),
  allow: z
    .array(z.enum(hookFields, 'write release or reason'))
    .default([])
    .meta({ unset: 'nothing', description: 'what whoever calls it may say in the body' }),
});
export type HookFile = z.infer<typeof hook>;

const plainHook = z
  .object({
    route: z.string().optional().catch(undefined),
    pipeline: z.string().optional().catch(undefined),
    stage: z.string().optional().catch(undefined),
    allow: z.array(z.unknown()).catch([]),
  })
  .catch({ allow: [] });

const sketch = z.object({
  hooks: z.record(z.string(), plainHook).catch({}),
  notify: z.array(z.object({ name: z.string().optional().catch(undefined) }).catch({})).catch([]),
});

/** What the file has that a hook may name. */
interface Known {
  readonly routes: readonly string[];
  /** The pipelines by name, with the names of their stages. */
  readonly stagesOf: ReadonlyMap<string, readonly string[]>;
}

/** What is wrong with hooks and with the names of receivers, each with its place. */
export function hookProblems(given: unknown, known: Known): string[] {
  const read = sketch.safeParse(given);
  if (!read.success) return [];
  const { hooks, notify } = read.data;
  const taken = new Set(Object.keys(hooks));
  const twice = notify.flatMap(({ name = '' }, index) => {
    const names = [name === '' ? `notify.${index}` : name];
    const problems = names
      .filter((each) => taken.has(each))
      .map((each) => `notify.${index}.name: "${each}" is already the name of another receiver or hook`);
    for (const each of names) taken.add(each);
    return problems;
  });
  return [
    ...twice,
    ...Object.entries(hooks).flatMap(([name, hook]) => subjectProblems(`hooks.${name}`, hook, known)),
  ];
}

function subjectProblems(
  setting: string,
  { route, pipeline, stage, allow }: z.infer<typeof plainHook>,
  { routes, stagesOf }: Known,
): string[] {
  if ((route === undefined) === (pipeline === undefined))
    return [`${setting}: set either route, or pipeline and stage`];
  if (route !== undefined)
    return [
      ...unknown(`${setting}.route`, 'route', route, routes),
      ...(stage === undefined ? [] : [`${setting}.stage: needs pipeline`]),
      ...(allow.includes('release')
        ? [`${setting}.allow: release needs pipeline; syncs have no release`]
        : []),
    ];
  const stages = stagesOf.get(pipeline ?? '');
  return [
    ...unknown(`${setting}.pipeline`, 'pipeline', pipeline, [...stagesOf.keys()]),
    ...(stage === undefined ? [`${setting}.stage: is missing`] : []),
    ...(stages ? unknown(`${setting}.stage`, 'stage', stage, stages) : []),
  ];
}

const unknown = (
  setting: string,
  what: string,
  name: string | undefined,
  known: readonly string[],
): string[] =>
  name === undefined || known.includes(name)
    ? []
    : [`${setting}: unknown ${what} "${name}"; defined: ${known.join(', ') || 'none'}`];
