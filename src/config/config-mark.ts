import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Config, PortalConfig } from './config';

/**
 * Twelve hex digits, equal for configurations with equal portals, routes, pipelines, schedules and limits. Settings
 * of one machine do not count: paths, certificates, proxies, Temporal's address, secrets.
 */
export function configMark({ limits, portals, routes, pipelines, schedules }: Config): string {
  const said = [
    ...[limits, inOrder(portals).map(whatItIs), inOrder(routes), inOrder(schedules)],
    ...(pipelines.size > 0 ? [inOrder(pipelines)] : []),
  ];
  return createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 12);
}

const inOrder = <T>(named: ReadonlyMap<string, T>): (readonly [string, T])[] =>
  [...named].sort(([one], [other]) => (one < other ? -1 : 1));

function whatItIs([name, portal]: readonly [string, PortalConfig]): unknown {
  const { ca: _ca, proxy: _proxy, auth, ...rest } = portal;
  const { secret: _secret, ...who } = auth;
  return [name, rest, who];
}

/** The version of Portolan, from its package.json. */
export function programVersion(): string {
  const file = path.join(__dirname, '..', '..', 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
