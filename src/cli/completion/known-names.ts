import { directions } from '../../model/run/portal-queue';
import { shortRunId } from '../../model/run/run-id';
import { oneLine } from '../../model/text/plain-text';
import type { Portolan } from '../../contract/contract';
import { asking } from '../terminal/act';
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
  const found = asking(file, (portolan) => namesOf[thing](portolan)).catch(() => []);
  return await Promise.race([found, late]);
};

const namesOf: Readonly<Record<NamedThing, (portolan: Portolan) => Promise<Suggestion[]>>> = {
  route: async (portolan) =>
    (await portolan.listRoutes()).map(({ name, source, target }) => ({
      word: name,
      what: `${source.portal} to ${target.portal}`,
    })),
  portal: async (portolan) =>
    (await portolan.listPortals()).map(({ name, url }) => ({ word: name, what: url })),
  queue: async (portolan) =>
    (await portolan.listPortals()).flatMap(({ name }) =>
      directions.map((direction) => ({ word: `${name}/${direction}`, what: '' })),
    ),
  schedule: async (portolan) =>
    (await portolan.listSchedules()).map(({ name, kind, route = '' }) => ({
      word: name,
      what: `${kind} ${route}`,
    })),
  pipeline: async (portolan) =>
    (await portolan.listPipelines()).map(({ pipeline, stages }) => ({
      word: pipeline,
      what: stages.join(' -> '),
    })),
  rule: async (portolan) =>
    (await portolan.listRules()).map(({ portal, rule, groups }) => ({
      word: `${portal}/${rule}`,
      what: oneLine(groups),
    })),
  run: async (portolan) => {
    const { runs } = await portolan.listRuns({ limit: NEWEST });
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
  snapshot: async (portolan) => {
    const [{ snapshots: rows }, named] = await Promise.all([
      portolan.listSnapshots({ limit: NEWEST }),
      portolan.listRoutes(),
    ]);
    return [
      { word: 'latest', what: 'the newest good backup' },
      ...named.map(({ name }) => ({ word: `latest:${name}`, what: `the newest good backup of ${name}` })),
      ...byShortId(rows.map(({ id }) => ({ word: id, what: id }))),
    ];
  },
  release: async (portolan) => {
    const { releases: rows } = await portolan.listReleases();
    return [
      ...[...new Set(rows.map(({ pipeline }) => pipeline))].map((pipeline) => ({
        word: `latest:${pipeline}`,
        what: `the newest release of ${pipeline}`,
      })),
      ...rows.slice(0, NEWEST).map(({ id, reason = '', block }) => ({
        word: id,
        what: oneLine(block ? `blocked: ${block.reason}` : reason),
      })),
    ];
  },
};

/** First by the end of the id, which is what people type. */
const byShortId = (all: readonly Suggestion[]): Suggestion[] => [
  ...all.map(({ word, what }) => ({ word: shortRunId(word), what })),
  ...all,
];
