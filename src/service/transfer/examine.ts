import { openSecrets } from '../../config/open-secrets';
import { PortalPool } from '../../config/portal-pool';
import { resolveRoute } from '../../config/resolve-route';
import { Policy } from '../../domain/policy/policy';
import { PortolanError } from '../../model/errors/errors';
import type { GuardResult } from '../../model/run/guard';
import { portalsOf } from '../../model/text/words';
import { hooksAndPeople } from './hooks-and-people';
import type { StoredSources } from '../run/run-sources';
import { examineControl, examinePortal, examineRoute, examineTemporal } from './examination';
import type { Examined } from './examined-view';
import { examinePipeline } from './pipeline-examination';

/** How an examination is made. */
export interface ExaminationOptions {
  /** Is told what is looked at, before that takes its time. */
  readonly onBegin?: (of: Omit<Examined, 'results'>) => void;
  /** Where the configuration was read from. @default its path */
  readonly file?: string;
  /** It is given up then. @default never @format milliseconds */
  readonly withinMs?: number;
}

/**
 * Every guard, outside of any run, with the secrets that are readable here: of one route, of one pipeline, or of every
 * portal. Nothing is written on a portal. Throws `ROUTE_NOT_FOUND`, and `TIMEOUT` where it takes longer than it may.
 */
export async function examine(
  { config, store }: StoredSources,
  name: string | undefined,
  { onBegin, file, withinMs }: ExaminationOptions = {},
): Promise<Examined> {
  const pipeline = config.pipelines.get(name ?? '');
  const route = name === undefined || pipeline ? undefined : resolveRoute(config, { route: name });
  const of = pipeline ? 'pipeline' : route ? 'route' : 'portals';
  const secrets = await openSecrets(config, file);
  onBegin?.({ of, name });
  const portals = new PortalPool(config);
  const examination = { portals, store, policy: new Policy(config, store) };
  const look = async (): Promise<GuardResult[]> => {
    if (pipeline) return await examinePipeline(config, pipeline, examination);
    if (route) return await examineRoute(route, examination);
    const results: GuardResult[] = [];
    for (const each of config.portals.keys()) results.push(...(await examinePortal(each, examination)));
    return results;
  };
  const meant = pipeline
    ? pipeline.stages.map(({ portal }) => portal)
    : route
      ? portalsOf(route)
      : [...config.portals.keys()];
  const all = async (): Promise<GuardResult[]> => [
    ...(secrets ? [secrets] : []),
    ...(await look()),
    ...hooksAndPeople(config, name),
    ...(await examineControl(config)),
    ...(await examineTemporal(config, meant)),
  ];
  try {
    return { of, name, results: await within(all(), withinMs) };
  } finally {
    // What still asks a portal ends with its connections.
    await portals.close();
  }
}

/** Throws `TIMEOUT`; what it gives up is heard no more. */
async function within<T>(work: Promise<T>, withinMs: number | undefined): Promise<T> {
  if (withinMs === undefined) return await work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooLong(withinMs)), withinMs);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const tooLong = (ms: number): PortolanError =>
  new PortolanError('TIMEOUT', `The examination has taken longer than ${ms / 1000} s, and was given up.`, {
    hint: "Ask for one route, or type portolan doctor on a worker's machine, where it may take its time.",
  });
