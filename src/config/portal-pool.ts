import type { Portal, PortalOptions } from '../portal/client';
import type { Config } from './config';
import { openPortal } from './open-portal';

/** The portals of a configuration, by name. */
export interface Portals {
  /** Throws PORTAL_NOT_FOUND where the configuration has no portal of that name. */
  open(name: string): Portal;
  /** `{base_url}` in this configuration, or undefined. */
  urlOf(name: string): string | undefined;
  /** Whether this configuration says that nobody works there. */
  isScratch(name: string): boolean;
}

/** One client for each portal of the configuration, so that its token and connections are shared by all calls. */
export class PortalPool implements Portals {
  private readonly clients = new Map<string, Portal>();

  constructor(
    private readonly config: Config,
    private readonly log?: PortalOptions['log'],
  ) {}

  open(name: string): Portal {
    const known = this.clients.get(name);
    if (known) return known;
    const opened = openPortal(this.config, name, this.log);
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
