import { z } from 'zod';
import { signingSecrets } from './plain-values';

/** Fields a caller of a hook can set. */
export const hookFields = ['release', 'reason'] as const;
export type HookField = (typeof hookFields)[number];

/** A hook. `hookProblems` requires that it starts exactly one thing, and that the thing exists. */
export const hook = z.strictObject({
  secret: signingSecrets.meta({
    description:
      'checks the signature of calls ([Standard Webhooks](../guide/notifications.md)); list two to rotate',
  }),
  route: z.string().min(1).optional().meta({
    form: 'route',
    description: 'route to sync; its approval rules apply',
  }),
  pipeline: z.string().min(1).optional().meta({
    form: 'pipeline',
    description: 'pipeline to promote in, instead of a route',
  }),
  stage: z.string().min(1).optional().meta({ form: 'stage', description: 'for a pipeline: target stage' }),
  allow: z
    .array(z.enum(hookFields, 'write release or reason'))
    .default([])
    .meta({ unset: 'none', description: 'fields the caller can set in the body' }),
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

/** Names in the file that a hook can use. */
interface Known {
  readonly routes: readonly string[];
  /** The pipelines by name, with the names of their stages. */
  readonly stagesOf: ReadonlyMap<string, readonly string[]>;
}

/** Problems of hooks and of receiver names, each with its place. */
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
      ...(stage === undefined ? [] : [`${setting}.stage: belongs to a pipeline`]),
      ...(allow.includes('release') ? [`${setting}.allow: a route has no releases`] : []),
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
