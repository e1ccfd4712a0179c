import type { PortalFacts } from '../../../src/domain/transfer/portal-facts';
import { releaseFrom } from '../../../src/portal/http/versions';
import type { GuardResult } from '../../../src/model/run/run';
import type { PlanRow } from '../../../src/model/transfer/plan';
import type { RequestedItem } from '../../../src/model/transfer/requested';

/** Facts of a portal that passes every guard, and what a test wants otherwise. */
export function facts(name: string, otherwise: Partial<PortalFacts> & { runs?: string } = {}) {
  const { runs = '11.4', ...more } = otherwise;
  const url = `https://${name}.example.com/portal/sharing/rest`;
  return {
    name,
    url,
    aliases: [],
    portalId: '0123456789ABCDEF',
    release: releaseFrom(runs),
    version: runs,
    isPortal: true,
    readOnly: false,
    recycleBin: false,
    username: 'ada',
    role: 'org_publisher',
    fullAdmin: false,
    hostname: `${name}.example.com/portal`,
    addresses: [url],
    serversRead: true,
    ...more,
  };
}

export const aRequested = (itemId: string, more: Partial<RequestedItem> = {}): RequestedItem => ({
  itemId,
  type: 'Web Map',
  title: itemId,
  packageIndex: 0,
  ...more,
});

export const aPlanRow = (
  itemId: string,
  action: PlanRow['action'],
  more: Partial<PlanRow> = {},
): PlanRow => ({ itemId, type: 'Web Map', title: itemId, action, ...more });

/** A guard's result as lines: its name with the verdict, then what was seen, is needed and is to do. */
export const linesOf = ({ name, verdict, code, saw, needs, todo }: GuardResult) =>
  [`${name}: ${[verdict, code].join(' ').trim()}`, saw, needs && `needs ${needs}`, todo].filter(
    (line) => line !== undefined,
  );
