import { z } from 'zod';
import { pipelineOfGroup } from '../model/release/release-input';
import { mapProblems, plainMap } from './map-checks';
import { checkProblems, plainChecks } from './stage-checks';

const text = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

/** The parts of pipelines that are checked here; the schema reports malformed values. */
export const plainPipelines = z
  .record(
    z.string(),
    z
      .object({
        groups: z.array(z.string()).catch([]),
        settings: flag,
        categories: flag,
        stages: z
          .record(
            z.string(),
            z
              .object({
                portal: text,
                groups: z.record(z.string(), z.string().catch('')).catch({}),
                after: text,
                checks: plainChecks,
                map: plainMap,
                owners: z.unknown().optional(),
                settings: flag,
                categories: flag,
              })
              .catch({ groups: {}, checks: [] }),
          )
          .catch({}),
      })
      .catch({ groups: [], stages: {} }),
  )
  .catch({});
type PlainPipeline = z.infer<typeof plainPipelines>[string];

/**
 * Problems of a pipeline, each with its place: groups that do not match, stages that share a portal, and stages that
 * form no line or tree.
 */
export function pipelineProblems(
  name: string,
  pipeline: PlainPipeline,
  {
    portals,
    routes,
  }: {
    /** Identities of portals, by name. */
    readonly portals: ReadonlyMap<string, readonly string[]>;
    readonly routes: readonly string[];
  },
): string[] {
  const { groups, stages } = pipeline;
  const setting = `pipelines.${name}`;
  const names = Object.keys(stages);
  const [first] = names;
  if (first === undefined)
    return [`${setting}.stages: is empty; write first the stage where releases are created`];
  return [
    ...(routes.includes(name) ? [`${setting}: a route has the same name; rename one`] : []),
    ...routes
      .filter((route) => pipelineOfGroup(route) === name)
      .map(
        (route) =>
          `routes.${route}: names starting with "${name}." are reserved for the groups of pipeline ${name}; rename the route`,
      ),
    ...twice(groups).map((group) => `${setting}.groups: "${group}" appears twice`),
    ...Object.entries(stages).flatMap(([stage, { portal, groups: own, checks, map = {}, owners }]) => {
      const place = `${setting}.stages.${stage}`;
      return [
        ...unknown(`${place}.portal`, 'portal', portal, [...portals.keys()]),
        ...groups
          .filter((group) => !Object.hasOwn(own, group))
          .map((group) => `${place}.groups: "${group}" is missing; ${setting}.groups lists it`),
        ...Object.keys(own)
          .filter((group) => !groups.includes(group))
          .map((group) => `${place}.groups.${group}: ${setting}.groups has no "${group}"`),
        ...twice(Object.values(own).filter(Boolean)).map(
          (id) => `${place}.groups: ${id} has two names; each name needs its own group`,
        ),
        ...(stage === first && checks.length > 0
          ? [`${place}.checks: nothing is promoted to the first stage; write them at a later stage`]
          : checkProblems(place, checks)),
        ...(stage === first && [map.urls, map.items].some((rows) => rows && Object.keys(rows).length > 0)
          ? [`${place}.map: nothing is promoted to the first stage; write it at a later stage`]
          : mapProblems(place, map)),
        ...(stage === first && owners !== undefined
          ? [`${place}.owners: nothing is promoted to the first stage; write them at a later stage`]
          : []),
      ];
    }),
    ...sharedPortals(setting, stages, portals),
    ...orderProblems(setting, stages, first),
    ...heldProblems(setting, pipeline, first),
  ];
}

/** A stage can only receive what releases contain, and the first stage is their source. */
const heldProblems = (setting: string, { stages, ...held }: PlainPipeline, first: string): string[] =>
  Object.entries(stages).flatMap(([stage, given]) =>
    (['settings', 'categories'] as const)
      .filter((each) => given[each] && (stage === first || !held[each]))
      .map((each) =>
        stage === first
          ? `${setting}.stages.${stage}.${each}: not allowed at the first stage; releases take their ${each} from it`
          : `${setting}.stages.${stage}.${each}: releases contain none; set ${setting}.${each}: true too`,
      ),
  );

/** Imports keep item IDs, so one portal cannot hold an item for two stages. */
function sharedPortals(
  setting: string,
  stages: PlainPipeline['stages'],
  portals: ReadonlyMap<string, readonly string[]>,
): string[] {
  const placed = Object.entries(stages).flatMap(([stage, { portal }]) =>
    portal === undefined ? [] : [{ stage, portal, identities: portals.get(portal) ?? [] }],
  );
  return placed.flatMap(({ stage, portal, identities }, index) => {
    const other = placed
      .slice(0, index)
      .find((each) => each.portal === portal || each.identities.some((one) => identities.includes(one)));
    return other === undefined
      ? []
      : [
          `${setting}.stages.${stage}.portal: "${portal}" is also the portal of stage ${other.stage}; items keep their IDs, so each stage needs its own portal`,
        ];
  });
}

function orderProblems(setting: string, stages: PlainPipeline['stages'], first: string): string[] {
  const names = Object.keys(stages);
  const before = new Map(
    names.map((stage, index) => [stage, stages[stage]?.after ?? (index > 0 ? names[index - 1] : undefined)]),
  );
  const problems = names.flatMap((stage) => {
    const { after } = stages[stage] ?? {};
    const place = `${setting}.stages.${stage}.after`;
    if (after === undefined) return [];
    if (stage === first) return [`${place}: not allowed at the first stage, where releases are created`];
    return unknown(place, 'stage', after, names);
  });
  if (problems.length > 0) return problems;
  return names.flatMap((stage) => {
    const way = wayTo(stage, before);
    return way.at(-1) === stage && way.length > 1
      ? [`${setting}.stages.${stage}.after: forms a cycle: ${way.reverse().join(' -> ')}`]
      : [];
  });
}

/** The stages before a stage, nearest first; ends at the first repetition. */
function wayTo(stage: string, before: ReadonlyMap<string, string | undefined>): string[] {
  const way = [stage];
  for (let at = before.get(stage); at !== undefined; at = before.get(at)) {
    const seen = way.includes(at);
    way.push(at);
    if (seen) break;
  }
  return way;
}

const twice = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];

const unknown = (
  place: string,
  what: string,
  given: string | undefined,
  known: readonly string[],
): string[] =>
  given === undefined || known.includes(given)
    ? []
    : [`${place}: unknown ${what} "${given}"; defined: ${known.join(', ') || 'none'}`];
