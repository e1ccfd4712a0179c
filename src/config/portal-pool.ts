import { readFileSync } from 'node:fs';
import { PortolanError } from '../model/errors/errors';
import { Portal, type PortalOptions } from '../portal/client';
import type { Secret } from '../secrets/secret';
import type { Config, PortalConfig } from './config';
import { findPortal } from './resolve-route';

/**
 * A client for a configured portal. Its secret is read at the first sign-in. Throws `PORTAL_NOT_FOUND`, and
 * `CONFIG_INVALID` if the certificate file cannot be read.
 */
function openPortal(config: Config, name: string, hooks: PortalHooks): Portal {
  const { auth } = findPortal(config, name);
  const secret = (): Promise<string> => secretOf(auth).read();
  return new Portal({ ...connectionTo(config, name), auth: { ...auth, secret }, ...hooks });
}

/** What signs in to a portal. */
export function secretOf(auth: PortalConfig['auth']): Secret {
  switch (auth.type) {
    case 'password':
      return auth.password;
    case 'token':
      return auth.token;
    case 'apiKey':
      return auth.apiKey;
    case 'clientCredentials':
      return auth.clientSecret;
  }
}

/**
 * Connection settings of a configured portal. Throws `PORTAL_NOT_FOUND`, and `CONFIG_INVALID` if the certificate
 * file cannot be read.
 */
export function connectionTo(config: Config, name: string): Omit<PortalOptions, 'auth'> {
  const { url, ca, proxy, aliases, insecure, responseTimeoutMs } = findPortal(config, name);
  return {
    name,
    url,
    ca: ca === undefined ? undefined : readCertificate(name, ca),
    proxy,
    aliases: [...aliases],
    insecure,
    responseTimeoutMs,
  };
}

/** PEM text. Throws CONFIG_INVALID if it cannot be read. */
export function readCertificate(portal: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    throw new PortolanError('CONFIG_INVALID', `portals.${portal}.ca: ${file} cannot be read (${code}).`);
  }
}

/** The portals of a configuration, by name. */
export interface Portals {
  /** Throws PORTAL_NOT_FOUND if no portal has that name. */
  open(name: string): Portal;
  /** `{base_url}` in this configuration, or undefined. */
  urlOf(name: string): string | undefined;
  /** Whether the portal has `role: scratch`. */
  isScratch(name: string): boolean;
}

type PortalHooks = Pick<PortalOptions, 'ended' | 'signal'>;

/** One client per portal, so that all calls share its token and connections. */
export class PortalPool implements Portals {
  private readonly clients = new Map<string, Portal>();

  constructor(
    private readonly config: Config,
    /** Aborts open requests. */
    private readonly signal?: AbortSignal,
    private readonly hooks: PortalHooks = {},
  ) {
    signal?.addEventListener('abort', () => void this.close());
  }

  open(name: string): Portal {
    this.signal?.throwIfAborted();
    const known = this.clients.get(name);
    if (known) return known;
    const opened = openPortal(this.config, name, this.hooks);
    this.clients.set(name, opened);
    return opened;
  }

  urlOf(name: string): string | undefined {
    return this.config.portals.get(name)?.url;
  }

  isScratch(name: string): boolean {
    return this.config.portals.get(name)?.role === 'scratch';
  }

  async close(): Promise<void> {
    await Promise.all([...this.clients.values()].map((client) => client.close()));
    this.clients.clear();
  }
}
