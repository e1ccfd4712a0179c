import type { PortalFacts } from '../transfer/portal-facts';
import type { SnapshotSource } from '../../model/snapshot/snapshot';
import { releaseFrom } from '../../portal/http/versions';

/** What a snapshot remembers of the portal of which it is taken. */
export const sourceOf = (facts: PortalFacts, groupId: string, groupTitle?: string): SnapshotSource => ({
  portal: facts.name,
  url: facts.url,
  aliases: [...facts.aliases],
  hostname: facts.hostname,
  portalId: facts.portalId,
  version: facts.version,
  addresses: [...facts.addresses],
  groupId,
  groupTitle,
});

/** The portal of a snapshot as checks want to know it: what it was then, and without any say now. */
export const factsOf = (source: SnapshotSource): PortalFacts => ({
  name: source.portal,
  url: source.url,
  aliases: source.aliases,
  hostname: source.hostname,
  portalId: source.portalId,
  release: releaseFrom(source.version),
  version: source.version,
  readOnly: true,
  recycleBin: false,
  fullAdmin: false,
  addresses: source.addresses,
  serversRead: true,
});
