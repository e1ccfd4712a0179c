import { z } from 'zod';
import { PortolanError } from '../../model/errors/errors';
import type { Portal } from '../client';
import { pathOf } from '../http/address';
import { anyObject, readableOf, text, toNumber, toText } from '../http/reading';
import type { CallOptions } from '../http/request';
import { atLeast, type PortalVersion } from '../http/versions';

/** First release that tells the disk space of its machines. docs/reference/portal-interface.md, "Disk" */
const HARDWARE_SINCE = '11.3';

interface ContentDisk {
  /** @format gigabytes, as the portal counts them */
  readonly usableGB: number;
  /** Machine and directory, for people. */
  readonly where: string;
}

const machines = z.looseObject({
  machines: readableOf(z.union([z.looseObject({ machineName: text, name: text }), z.string()])),
});
const hardware = z.looseObject({ localDiskUsage: readableOf(anyObject) });

/**
 * The free space of the directory that holds item content, the least of all machines. undefined where
 * it cannot be read: below 11.3, without the right to, with content in a cloud store, or behind a web
 * server that hides the administration. docs/reference/portal-interface.md, "Disk"
 */
export async function readContentDisk(
  portal: Portal,
  { version }: { version: PortalVersion },
  options?: CallOptions,
): Promise<ContentDisk | undefined> {
  if (version && !atLeast(version, HARDWARE_SINCE)) return undefined;
  const session = await portal.signedIn();
  try {
    return await leastOfAll(portal, options);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    // A token that has just run out, or a page of a proxy, gives these answers to those who may read as well.
    if (!PortolanError.is(error, 'TOKEN_REFUSED', 'HTML_RESPONSE')) return undefined;
  }
  await portal.confirmSignedIn(session, options);
  try {
    return await leastOfAll(portal, options);
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

async function leastOfAll(portal: Portal, options?: CallOptions): Promise<ContentDisk | undefined> {
  const list = await portal.call(
    { operation: 'machines.list', below: 'admin', keepsToken: true, path: 'machines', schema: machines },
    options,
  );
  let least: ContentDisk | undefined;
  for (const machine of list.machines) {
    const name = typeof machine === 'string' ? machine : (machine.machineName ?? machine.name);
    const disk = name ? await diskOf(portal, name, options) : undefined;
    if (disk && (!least || disk.usableGB < least.usableGB)) least = disk;
  }
  return least;
}

/** Answers that mean: not for us to read. Anything else, such as a broken connection, is an error. */
const isUnreadable = (error: unknown): error is PortolanError =>
  PortolanError.is(
    error,
    'PERMISSION_DENIED',
    'TOKEN_REFUSED',
    'NOT_FOUND',
    'BAD_REQUEST',
    'BAD_RESPONSE',
    'HTML_RESPONSE',
    'NOT_SUPPORTED',
    'SERVER_ERROR',
  );

async function diskOf(
  portal: Portal,
  machine: string,
  options?: CallOptions,
): Promise<ContentDisk | undefined> {
  const { localDiskUsage } = await portal.call(
    {
      operation: 'machines.hardware',
      below: 'admin',
      keepsToken: true,
      path: pathOf`machines/${machine}/hardware`,
      schema: hardware,
    },
    options,
  );
  const usage = localDiskUsage.find(holdsContent) ?? localDiskUsage.find(lieInContent);
  const usableGB = usage && toNumber(usage['diskUsableSpaceGB']);
  return usableGB === undefined ? undefined : { usableGB, where: `${machine}: ${directoryOf(usage ?? {})}` };
}

/** The name of the field that tells a directory's type is not documented, so every short word is looked at. */
const holdsContent = (usage: Record<string, unknown>): boolean =>
  Object.values(usage).some((value) =>
    /^\s*content([ _-]?(store|dir|directory))?\s*$/i.test(toText(value) ?? ''),
  );

const lieInContent = (usage: Record<string, unknown>): boolean =>
  Object.values(usage).some((value) => /[\\/]content([\\/]|$)/i.test(toText(value) ?? ''));

/** The longest path among the fields: the mount is one too. */
const directoryOf = (usage: Record<string, unknown>): string =>
  Object.values(usage)
    .flatMap((value) => toText(value) ?? [])
    .filter((value) => /[\\/]./.test(value))
    .sort((a, b) => b.length - a.length)[0] ?? 'content';
