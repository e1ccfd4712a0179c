import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from './config';

/**
 * Twelve hex digits, equal for configurations with equal portals, routes, pipelines, schedules and limits. Settings
 * of one machine do not count: paths, certificates, proxies, Temporal's address, secrets.
 */
export function configMark({ limits, portals, routes, pipelines, schedules }: Config): string {
  const ofAllMachines = [...portals].map(
    ([name, { ca: _ca, proxy: _proxy, protect, ...portal }]) =>
      [name, { ...portal, protect: inOrder(protect) }] as const,
  );
  const said = [limits, ...[new Map(ofAllMachines), routes, pipelines, schedules].map(inOrder)];
  return createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 12);
}

const inOrder = (named: ReadonlyMap<string, object>): (readonly [string, object])[] =>
  [...named].sort(([one], [other]) => (one < other ? -1 : 1));

/** The version of Portolan, from its package.json. */
export function programVersion(): string {
  const file = path.join(__dirname, '..', '..', 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
