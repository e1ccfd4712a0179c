import { defineSearchAttributeKey } from '@temporalio/common';
import type { Config } from '../../config/config';
import { findPortal } from '../../config/resolve-route';
import { PortolanError } from '../../model/errors/errors';
import type { RunRoute } from '../../model/transfer/route';
import type { RunKind } from '../../model/run/run';
import { searchAttributeNames } from '../../model/run/search-attributes';
import { memoFor } from '../../model/run/start-memo';
import type { RunInput } from '../../model/run/run-input';

const keyword = (name: string) => defineSearchAttributeKey(name, 'KEYWORD');

/** What a run is started with besides its id and its input, by whomever: what it is found by and shown with. */
export const startOptions = (
  kind: RunKind,
  config: Config,
  { route, startedBy, scheduledBy }: Pick<RunInput, 'route' | 'startedBy' | 'scheduledBy'>,
) => ({
  taskQueue: config.temporal.taskQueue,
  memo: memoFor(route, startedBy, scheduledBy),
  typedSearchAttributes: [
    { key: keyword(searchAttributeNames.kind), value: kind },
    { key: keyword(searchAttributeNames.route), value: route.name },
  ],
  staticSummary: summaryOf(kind, route),
  staticDetails: detailsOf(route, startedBy),
});

/** Application credentials can read and be looked at by `doctor`; what they would write has no owner. */
export function requireUsers(
  config: Config,
  route: { readonly source?: { readonly portal: string }; readonly target?: { readonly portal: string } },
): void {
  for (const end of [route.source, route.target]) {
    if (end === undefined) continue;
    const { portal } = end;
    if (findPortal(config, portal).auth.type !== 'clientCredentials') continue;
    throw new PortolanError(
      'NO_USER',
      `Portal "${portal}" is configured with clientCredentials, which have no user.`,
      { portal },
    );
  }
}

/** Temporal's Web UI shows it in lists; at most 200 bytes. */
const summaryOf = (kind: RunKind, { name, source, target }: RunRoute): string =>
  Buffer.from(`${kind} ${name}: ${source.portal} -> ${target?.portal ?? 'the store'}`)
    .subarray(0, 200)
    .toString('utf8');

function detailsOf(route: RunRoute, startedBy: string): string {
  const { source, target, options } = route;
  return [
    `**${route.name}**, started by ${startedBy}`,
    '',
    `- from **${source.portal}** ${source.url}, group \`${source.groupId}\``,
    target ? `- to **${target.portal}** ${target.url}, group \`${target.groupId}\`` : '- to the store',
    `- overwrite: ${options.overwrite}, data: ${options.data}, approval: ${options.approval}${options.planOnly ? ', plan only' : ''}`,
  ].join('\n');
}
