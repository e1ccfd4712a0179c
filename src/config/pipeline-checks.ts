import { pipelineOfGroup } from '../model/release/release-input';
import { itemIdsIn, liesAtOrBelow, type MappedAddress, mappedAddress } from '../model/release/reference-map';
import { maskSecrets } from '../model/text/mask-secrets';
import { shortened } from '../model/text/plain-text';
import { entries, type FileRemains, type KnownNames, mayBe } from './file-remains';
import { checkName } from './file/pipeline-schema';
import { unknownName } from './problems';
import { openUrlProblem } from './url-problem';

type Pipeline = NonNullable<NonNullable<FileRemains['pipelines']>[string]>;
type Stages = NonNullable<Pipeline['stages']>;
type Stage = NonNullable<Stages[string]>;
type Rows = Readonly<Record<string, string | undefined>>;

interface Known extends KnownNames {
  /** Identities of portals, by name. */
  readonly identities: ReadonlyMap<string, readonly string[]>;
}

/**
 * Problems of a pipeline, each with its place: groups that do not match, stages that share a portal, and stages that
 * form no line or tree.
 */
export function* pipelineProblems(name: string, pipeline: Pipeline, known: Known): Generator<string> {
  const { stages } = pipeline;
  const setting = `pipelines.${name}`;
  const groups = pipeline.groups?.filter((group) => group !== undefined) ?? [];
  const hasAllGroups = groups.length > 0 && groups.length === pipeline.groups?.length;
  if (known.routes.includes(name)) yield `${setting}: a route has the same name; rename one`;
  for (const route of known.routes.filter((each) => pipelineOfGroup(each) === name))
    yield `routes.${route}: names starting with "${name}." are reserved for the groups of pipeline ${name}; rename the route`;
  for (const group of twice(groups)) yield `${setting}.groups: "${group}" appears twice`;
  if (stages === undefined) return;
  const [first] = Object.keys(stages);
  if (first === undefined)
    return yield `${setting}.stages: is empty; write first the stage where releases are created`;
  for (const [stage, given] of entries(stages)) {
    const place = `${setting}.stages.${stage}`;
    yield* unknownName(`${place}.portal`, 'portal', given.portal, known.portals);
    if (hasAllGroups && given.groups) yield* groupProblems(setting, place, groups, given.groups);
    yield* stage === first
      ? firstStageProblems(place, given)
      : laterStageProblems(place, given, pipeline, setting);
  }
  yield* sharedPortals(setting, stages, known);
  yield* orderProblems(setting, stages, first);
}

function* groupProblems(
  setting: string,
  place: string,
  groups: readonly string[],
  ids: Rows,
): Generator<string> {
  for (const group of groups.filter((each) => !Object.hasOwn(ids, each)))
    yield `${place}.groups: "${group}" is missing; ${setting}.groups lists it`;
  for (const group of Object.keys(ids).filter((each) => !groups.includes(each)))
    yield `${place}.groups.${group}: ${setting}.groups has no "${group}"`;
  for (const id of twice(entries(ids).map(([, each]) => each)))
    yield `${place}.groups: ${id} has two names; each name needs its own group`;
}

/** Releases are made there, and nothing is promoted to it. */
function* firstStageProblems(place: string, stage: Stage): Generator<string> {
  const { after, checks = [], map = {} } = stage;
  if (after !== undefined) yield `${place}.after: not allowed at the first stage, where releases are created`;
  if (checks.length > 0)
    yield `${place}.checks: nothing is promoted to the first stage; write them at a later stage`;
  if ([map.urls, map.items].some((rows) => rows && Object.keys(rows).length > 0))
    yield `${place}.map: nothing is promoted to the first stage; write it at a later stage`;
  if ('owners' in stage)
    yield `${place}.owners: nothing is promoted to the first stage; write them at a later stage`;
  for (const each of ['settings', 'categories'] as const)
    if (stage[each])
      yield `${place}.${each}: not allowed at the first stage; releases take their ${each} from it`;
}

function* laterStageProblems(
  place: string,
  stage: Stage,
  pipeline: Pipeline,
  setting: string,
): Generator<string> {
  yield* checkProblems(`${place}.checks`, stage.checks ?? []);
  yield* mapProblems(`${place}.map`, stage.map ?? {});
  for (const each of ['settings', 'categories'] as const)
    if (stage[each] && !mayBe(pipeline, each))
      yield `${place}.${each}: releases contain none; set ${setting}.${each}: true too`;
}

/** Imports keep item IDs, so one portal cannot hold an item for two stages. */
function* sharedPortals(setting: string, stages: Stages, { identities }: Known): Generator<string> {
  const before: { stage: string; portal: string; known: readonly string[] }[] = [];
  for (const [stage, { portal }] of entries(stages)) {
    if (portal === undefined) continue;
    const known = identities.get(portal) ?? [];
    const other = before.find(
      (each) => each.portal === portal || each.known.some((one) => known.includes(one)),
    );
    if (other)
      yield `${setting}.stages.${stage}.portal: "${portal}" is also the portal of stage ${other.stage}; items keep their IDs, so each stage needs its own portal`;
    before.push({ stage, portal, known });
  }
}

function* orderProblems(setting: string, stages: Stages, first: string): Generator<string> {
  const names = Object.keys(stages);
  const before = new Map(names.map((stage, index) => [stage, stages[stage]?.after ?? names[index - 1]]));
  for (const stage of names.filter((each) => each !== first))
    yield* unknownName(`${setting}.stages.${stage}.after`, 'stage', stages[stage]?.after, names);
  before.delete(first);
  for (const stage of names) {
    const way = wayTo(stage, before);
    if (way.at(-1) === stage && way.length > 1)
      yield `${setting}.stages.${stage}.after: forms a cycle: ${way.reverse().join(' -> ')}`;
  }
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

function* checkProblems(place: string, checks: NonNullable<Stage['checks']>): Generator<string> {
  const names = new Set<string>();
  for (const [index, check] of checks.entries()) {
    if (check === undefined) continue;
    if ('command' in check === 'url' in check) {
      yield `${place}.${index}: set either command or url`;
      continue;
    }
    const name = check.name ?? checkName(check);
    if (name === undefined) continue;
    if (names.has(name))
      yield `${place}.${index}: another check is named ${name}; give one of them another name`;
    names.add(name);
  }
}

/** Maximum number of rows: the map is sent with each run. */
const ROWS_MAX = 500;
/** @format characters */
const URL_MAX = 500;

/**
 * Problems of a stage's map. No row may lead to text that another row replaces: the result would depend on the order
 * of replacements.
 */
function* mapProblems(place: string, map: NonNullable<Stage['map']>): Generator<string> {
  const long = (['urls', 'items'] as const).find((each) => Object.keys(map[each] ?? {}).length > ROWS_MAX);
  if (long) return yield `${place}.${long}: has more than ${ROWS_MAX} rows`;
  const [urls, items] = [entries(map.urls ?? {}), entries(map.items ?? {})];
  const malformed = [
    ...urls.flat().flatMap((url) => mappedUrlProblem(`${place}.urls`, url)),
    ...items
      .flat()
      .filter((id) => !/^[0-9a-f]{32}$/i.test(id))
      .map((id) => `${place}.items: ${shown(id)} is not an item id; write 32 hexadecimal digits in quotes`),
  ];
  yield* malformed;
  if (malformed.length > 0) return;
  yield* urlChains(`${place}.urls`, urls);
  yield* itemChains(place, urls, items);
}

function mappedUrlProblem(place: string, text: string): string[] {
  const problem =
    openUrlProblem(text) ??
    (text.length > URL_MAX ? `is longer than ${URL_MAX} characters` : undefined) ??
    (mappedAddress(text) ? undefined : 'is not a URL; write it as https://HOST/PATH');
  return problem === undefined ? [] : [`${place}: ${shown(text)} ${problem}`];
}

/** Shows only scheme, host and path of a URL. */
function shown(text: string): string {
  if (!URL.canParse(text)) return `"${shortened(maskSecrets(text), 60)}"`;
  const { protocol, host, pathname } = new URL(text);
  return `"${shortened(maskSecrets(`${protocol}//${host}${pathname}`), URL_MAX)}"`;
}

type Row = readonly [from: string, to: string];

function* urlChains(place: string, urls: readonly Row[]): Generator<string> {
  const froms = urls.map(([text]) => ({ text, address: addressOf(text) }));
  for (const [from, to] of urls) {
    const [source, target] = [addressOf(from), addressOf(to)];
    const twin = froms.find(({ text, address }) => text !== from && isSame(address, source));
    const next = froms.find(
      ({ address }) => liesAtOrBelow(target, address) || liesAtOrBelow(address, target),
    );
    if (twin) yield `${place}: "${from}" and "${twin.text}" are the same address`;
    else if (next)
      yield `${place}: "${from}" maps to "${to}", but "${next.text}" is mapped too; no address may contain another`;
  }
}

function* itemChains(place: string, urls: readonly Row[], items: readonly Row[]): Generator<string> {
  const ids = items.map(([id]) => id.toLowerCase());
  for (const id of twice(ids)) yield `${place}.items: ${id} appears twice`;
  for (const [from, to] of items.filter((row) => ids.includes(row[1].toLowerCase())))
    yield `${place}.items: ${from} maps to ${to}, which is mapped too; write the final ID`;
  const all = new Set(items.flat().map((id) => id.toLowerCase()));
  for (const url of urls.flat().filter((each) => itemIdsIn(each).some((id) => all.has(id))))
    yield `${place}.urls: "${url}" contains an ID from map.items; map it in one of the two only`;
}

const addressOf = (text: string): MappedAddress => mappedAddress(text) ?? { origin: text, path: '' };

const isSame = (one: MappedAddress, other: MappedAddress): boolean =>
  one.origin === other.origin && one.path === other.path;
