import { directions } from '../../model/run/portal-queue';
import { shortRunId } from '../../model/run/run-id';
import { oneLine } from '../../model/text/plain-text';
import type { Portolan } from '../../service/portolan/portolan';
import { asking } from '../terminal/act';
import { withReadablePortolan, withStoredPortolan } from '../terminal/with-portolan';
import type { LookUp, NamedThing, Suggestion } from './suggestions';

/** Longest wait after a key press. */
const LOOK_UP_MS = 2_000;
/** Runs and snapshots suggested: the newest. */
const NEWEST = 50;

/** Names of the configuration or the server, and the newest runs and snapshots. Nothing if they cannot be read in time. */
export const lookUpNames: LookUp = async (thing, file) => {
  const late = new Promise<Suggestion[]>((resolve) => {
    setTimeout(() => resolve([]), LOOK_UP_MS).unref();
  });
  const globals = { config: file };
  const ask = needsTemporal.has(thing) ? withReadablePortolan : withStoredPortolan;
  const found = ask(globals, (portolan) => namesOf[thing](portolan, file)).catch(() => []);
  return await Promise.race([found, late]);
};

const needsTemporal: ReadonlySet<NamedThing> = new Set(['run', 'schedule']);

const namesOf: Readonly<Record<NamedThing, (portolan: Portolan, file?: string) => Promise<Suggestion[]>>> = {
  route: async ({ routes }) =>
    (await routes.list()).map(({ name, source, target }) => ({
      word: name,
      what: `${source.portal} to ${target.portal}`,
    })),
  portal: async ({ routes }) => (await routes.portals()).map(({ name, url }) => ({ word: name, what: url })),
  queue: async ({ routes }) =>
    (await routes.portals()).flatMap(({ name }) =>
      directions.map((direction) => ({ word: `${name}/${direction}`, what: '' })),
    ),
  schedule: async ({ schedules }) =>
    (await schedules.list()).map(({ name, kind, route = '' }) => ({
      word: name,
      what: `${kind} ${route}`,
    })),
  pipeline: async ({ pipelines }) =>
    (await pipelines.stages(undefined, { drift: false })).map(({ pipeline, stages }) => ({
      word: pipeline,
      what: stages.map(({ name }) => name).join(' -> '),
    })),
  run: async (_, file) => {
    const { runs } = await asking(file, ({ listRuns }) => listRuns({ limit: NEWEST }));
    return [
      { word: 'latest', what: 'the newest run' },
      ...byShortId(
        runs.map(({ runId, kind, route, status }) => ({
          word: runId,
          what: oneLine(`${kind} ${route}, ${status}`),
        })),
      ),
    ];
  },
  snapshot: async ({ snapshots, routes }) => {
    const [{ snapshots: rows }, named] = await Promise.all([snapshots.list({}), routes.list()]);
    return [
      { word: 'latest', what: 'the newest good backup' },
      ...named.map(({ name }) => ({ word: `latest:${name}`, what: `the newest good backup of ${name}` })),
      ...byShortId(rows.slice(0, NEWEST).map(({ id }) => ({ word: id, what: id }))),
    ];
  },
  release: async ({ releases }) => {
    const { releases: rows } = await releases.list();
    return [
      ...[...new Set(rows.map(({ pipeline }) => pipeline))].map((pipeline) => ({
        word: `latest:${pipeline}`,
        what: `the newest release of ${pipeline}`,
      })),
      ...rows.slice(0, NEWEST).map(({ id, reason }) => ({ word: id, what: oneLine(reason ?? '') })),
    ];
  },
};

/** First by the end of the id, which is what people type. */
const byShortId = (all: readonly Suggestion[]): Suggestion[] => [
  ...all.map(({ word, what }) => ({ word: shortRunId(word), what })),
  ...all,
];
