import { readFileSync } from 'node:fs';
import { PortolanError } from '../model/errors/errors';
import { Portal, type PortalOptions } from '../portal/client';
import type { Config } from './config';
import { findPortal } from './resolve-route';

/**
 * A client for a portal of the configuration. Its secret is read when the client first signs in.
 * Throws `PORTAL_NOT_FOUND`, and `CONFIG_INVALID` where the certificate file cannot be read.
 */
export function openPortal(config: Config, name: string, log?: PortalOptions['log']): Portal {
  const { url, auth, ca, proxy, aliases, insecure, answerWithinMs } = findPortal(config, name);
  const secret = (): Promise<string> => auth.secret.read();
  return new Portal({
    name,
    url,
    auth: { ...auth, secret },
    ca: ca === undefined ? undefined : readCertificate(name, ca),
    proxy,
    aliases: [...aliases],
    insecure,
    answerWithinMs,
    log,
  });
}

function readCertificate(portal: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    throw new PortolanError('CONFIG_INVALID', `portals.${portal}.ca: ${file} cannot be read (${code}).`);
  }
}
