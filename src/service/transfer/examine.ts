import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { GuardResult } from '../../model/run/run';
import type { Config } from '../../config/config';
import { PortalPool } from '../../config/portal-pool';
import { resolveRoute } from '../../config/resolve-route';
import { rulesOf } from '../../config/resolve-rule';
import { type Examined, examinedWords } from '../../contract/routes';
import { Policy } from '../../domain/policy/policy';
import { portalsOf } from '../../model/text/words';
import { hooksAndPeople } from './hooks-and-people';
import type { Context } from '../context';
import type { StoredSources } from '../run/run-sources';
import { examineControl, examinePortal, examineRoute, examineRule, examineTemporal } from './examination';
import { examinePipeline } from './pipeline-examination';

/** Read permissions of group and others. */
const OTHERS_READ = 0o044;

/**
 * A warning if the file contains a secret and others can read it; undefined if not, or if the system has no such
 * permissions.
 * @param file where it was read from
 */
export async function openSecrets(config: Config, file = config.path): Promise<GuardResult | undefined> {
  const inline = config.notify.flatMap((each) =>
    'webhook' in each && each.webhook.isInline ? [`${each.setting}.webhook`] : [],
  );
  if (inline.length === 0 || process.platform === 'win32') return undefined;
  const mode = (await stat(file)).mode & 0o777;
  if ((mode & OTHERS_READ) === 0) return undefined;
  const name = path.basename(config.path);
  return {
    name: 'configuration',
    verdict: 'unknown',
    saw: `${config.path} contains the address of ${inline.join(', ')}, and users other than its owner can read it (mode ${mode.toString(8).padStart(4, '0')})`,
    needs:
      'a file only its owner can read, or the address kept as a secret; anyone who knows it can post there',
    todo: `chmod 600 ${name}, or write webhook: { file: PATH } or { env: NAME } there`,
  };
}

/**
 * Every preflight check outside of a run, with the secrets readable here: of a route, a pipeline, or every portal.
 * Writes nothing on a portal. Throws `ROUTE_NOT_FOUND`.
 */
export async function examine(
  { config, store, signal, file, say }: StoredSources & Partial<Pick<Context, 'file' | 'say'>>,
  name: string | undefined,
): Promise<Examined> {
  const pipeline = config.pipelines.get(name ?? '');
  const route = name === undefined || pipeline ? undefined : resolveRoute(config, { route: name });
  const of = pipeline ? 'pipeline' : route ? 'route' : 'portals';
  const secrets = await openSecrets(config, file);
  say?.(examinedWords({ of, name }));
  const portals = new PortalPool(config, signal);
  const examination = { portals, store, policy: new Policy(config, store) };
  const look = async (): Promise<GuardResult[]> => {
    if (pipeline) return await examinePipeline(config, pipeline, examination);
    if (route) return await examineRoute(route, examination);
    const results: GuardResult[] = [];
    for (const each of config.portals.keys()) results.push(...(await examinePortal(each, examination)));
    for (const each of rulesOf(config)) results.push(...(await examineRule(each, examination)));
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
    return { of, name, results: await all() };
  } finally {
    await portals.close();
  }
}
