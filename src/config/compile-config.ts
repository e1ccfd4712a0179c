import path from 'node:path';
import type { AuthConfig, Config, NotifyConfig, PortalConfig, RouteConfig } from './config';
import type { RetentionPolicy } from '../model/snapshot/retention';
import type { PolicyFile, RouteFile } from './route-schema';
import type { AuthFile, PortalFile } from './portal-schema';
import type { ConfigFile, NotifyFile } from './schema';
import { compileSchedule } from './compile-schedule';
import { compileStore } from './compile-store';
import { Secret } from '../secrets/secret';
import { temporalDefaults } from './temporal-connection';

/** Turns a file that has been found valid into what the rest of the program works with. */
export function compileConfig(file: string, given: ConfigFile): Config {
  const folder = path.dirname(file);
  const fallback = temporalDefaults();
  return {
    path: file,
    temporal: {
      address: given.temporal.address ?? fallback.address,
      namespace: given.temporal.namespace ?? fallback.namespace,
      taskQueue: given.temporal.taskQueue,
      state: path.resolve(folder, given.temporal.state),
    },
    ...compileStore(given.store, folder),
    limits: given.limits,
    metrics: given.metrics,
    portals: mapEntries(given.portals, (name, portal) => compilePortal(name, portal, folder)),
    routes: mapEntries(given.routes, compileRoute),
    schedules: mapEntries(given.schedules, compileSchedule),
    notify: given.notify.map((receiver, index) => compileNotify(`notify.${index}`, receiver, folder)),
  };
}

function compilePortal(name: string, given: PortalFile, folder: string): PortalConfig {
  const { url, aliases, insecure, timeout, proxy, atOnce, role } = given;
  const ca = given.ca === undefined ? undefined : path.resolve(folder, given.ca);
  return {
    name,
    url,
    aliases,
    insecure,
    answerWithinMs: timeout,
    atOnce,
    role,
    proxy,
    ca,
    auth: compileAuth(`portals.${name}.auth`, given.auth, folder),
  };
}

function compileAuth(place: string, given: AuthFile, folder: string): AuthConfig {
  switch (given.type) {
    case 'password':
      return {
        type: given.type,
        username: given.username,
        secret: new Secret(given.password, `${place}.password`, folder),
      };
    case 'token':
      return { type: given.type, secret: new Secret(given.token, `${place}.token`, folder) };
    case 'apiKey':
      return { type: given.type, secret: new Secret(given.apiKey, `${place}.apiKey`, folder) };
    case 'clientCredentials':
      return {
        type: given.type,
        clientId: given.clientId,
        secret: new Secret(given.clientSecret, `${place}.clientSecret`, folder),
      };
  }
}

function compileRoute(name: string, given: RouteFile): RouteConfig {
  const { source, target, overwrite, data, approval, items, keepPackages, store, backup } = given;
  const { taskRun, banner } = given;
  return {
    name,
    source,
    target,
    options: {
      overwrite,
      data,
      approval,
      items,
      keepPackages,
      banner,
      jobDeadlineMs: given.jobDeadline,
      answerWithinMs: given.answerWithin,
      keep: { succeededMs: store.keep.succeeded, failedMs: store.keep.failed },
    },
    taskRun,
    backup: {
      keep: backup.keep && compilePolicy(backup.keep),
      maxAgeMs: backup.maxAge,
      tags: backup.tags,
      safeguardsMs: backup.safeguards,
      drill: backup.drill,
    },
  };
}

function compilePolicy({ within, ...rules }: PolicyFile): RetentionPolicy {
  return { ...rules, withinMs: within };
}

function compileNotify(place: string, given: NotifyFile, folder: string): NotifyConfig {
  const { on, webhook, insecure } = given;
  const [program, ...args] = given.command ?? [];
  if (program !== undefined) return { place, on, command: [program, ...args], folder };
  if (webhook === undefined) throw new TypeError(`${place} has neither command nor webhook`);
  const reference = typeof webhook === 'string' ? { text: webhook } : webhook;
  return { place, on, insecure, webhook: new Secret(reference, `${place}.webhook`, folder) };
}

const mapEntries = <From, To>(
  given: Record<string, From>,
  compile: (name: string, entry: From) => To,
): ReadonlyMap<string, To> =>
  new Map(Object.entries(given).map(([name, entry]) => [name, compile(name, entry)]));
