import { PortalPool } from '../../config/portal-pool';
import { askGuards, inspectPortal } from '../../domain/transfer/guards/guard-list';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { PortolanError } from '../../model/errors/errors';
import { isSameUser } from '../../model/identity';
import { countOf, quoted } from '../../model/text/words';
import type { Side } from '../../model/transfer/guard-steps';
import type { Portal } from '../../portal/client';
import { type Group, listGroup, readGroup, readOwnGroups } from '../../portal/resources/groups';
import { guardTable } from '../../service/run/guards-sheet';
import type { Output } from '../terminal/output';
import { askSecret, askText, choose } from '../terminal/prompts';
import { newConfig, type NewEnd, passwordVariable, portalAddress, portalName } from './new-config';

/** Options for one end; the rest is prompted for. */
export interface EndOptions {
  readonly url?: string;
  readonly username?: string;
  readonly password?: NewEnd['password'];
  /** ID of any group, or title of a group the account owns or is a member of. */
  readonly group?: string;
}

/** What is asked, and the option to use if no one can be asked. */
const prompts = {
  source: { url: ['Source portal URL', '--from URL'], group: ['Source group', '--group GROUP'] },
  target: { url: ['Target portal URL', '--to URL'], group: ['Target group', '--into GROUP'] },
} as const;

/** One end of the route, signed in. */
interface FoundEnd {
  readonly end: NewEnd;
  readonly facts: PortalFacts;
  readonly portal: Portal;
}

/**
 * Signs in to both ends of a first route, finds their groups and compares them, without a write, and prompts for missing
 * options. Throws `USAGE` if an option is missing and no one can be asked, and errors of the portals.
 */
export async function findFirstRoute(
  file: string,
  options: Readonly<Record<Side, EndOptions>>,
  output: Output,
): Promise<Readonly<Record<Side, NewEnd>>> {
  const pools: PortalPool[] = [];
  try {
    const source = await findEnd('source', file, options.source, output, pools);
    const target = await findEnd('target', file, options.target, output, pools, source.end.portal);
    await compare(source, target, output);
    return { source: source.end, target: target.end };
  } finally {
    await Promise.all(pools.map((pool) => pool.close()));
  }
}

/** @param taken the name of the other portal */
async function findEnd(
  side: Side,
  file: string,
  options: EndOptions,
  output: Output,
  pools: PortalPool[],
  taken?: string,
): Promise<FoundEnd> {
  const [question, flag] = prompts[side].url;
  const url = portalAddress(options.url ?? (await askText(question, flag)));
  const ownName = portalName(url, side);
  const name = ownName === taken ? side : ownName;
  const username = options.username ?? (await askText('Username', '--user NAME'));
  const password = options.password ?? { env: passwordVariable(name) };
  if ('env' in password && !process.env[password.env])
    // Used for this sign-in only.
    process.env[password.env] = await askSecret(
      `Password of ${username} (later commands read ${password.env})`,
      `export ${password.env}=..., or --password file:PATH`,
    );
  const signIn = { portal: name, url, username, password };
  const pool = new PortalPool(newConfig(file, [signIn]));
  pools.push(pool);
  const portal = pool.open(name);
  const { facts, results } = await inspectPortal(portal, side);
  output.note(`${name}: ${facts.version || 'version unknown'}, signed in as ${facts.username}`);
  const open = results.filter(({ verdict }) => verdict !== 'pass');
  if (open.length > 0) output.note([guardTable(open)]);
  const { id, title } = await findGroup(side, portal, facts.username, options.group);
  return { end: { ...signIn, group: { id, title } }, facts, portal };
}

async function findGroup(
  side: Side,
  portal: Portal,
  username: string | undefined,
  given: string | undefined,
): Promise<Group> {
  const own = await readOwnGroups(portal);
  const named = given ?? (await chooseGroup(side, own, username));
  const [titled, ...more] = own.filter(({ title }) => title === named);
  if (titled && more.length > 0)
    throw new PortolanError('USAGE', `${portal.name} has ${more.length + 1} groups ${quoted(named)}.`, {
      hint: `Choose one by its ID: ${[titled, ...more].map(({ id }) => id).join(', ')}`,
    });
  const found = titled ?? own.find(({ id }) => id === named);
  if (found) return found;
  // Administrators can use a group they do not own and are not in.
  const known = own.map(({ title = '?' }) => quoted(title)).join(', ') || 'none';
  const hint = `The groups of the account are ${known}. Name one by its title, or any by its id.`;
  if (!/^[A-Za-z0-9_-]+$/.test(named)) {
    const message = `${portal.name} has no group ${quoted(named)} for this account.`;
    throw new PortolanError('GROUP_NOT_FOUND', message, { hint });
  }
  return await readGroup(portal, named).catch((thrown: unknown) => {
    throw PortolanError.from(thrown).with({ hint });
  });
}

async function chooseGroup(side: Side, own: readonly Group[], username?: string): Promise<string> {
  const [question, flag] = prompts[side].group;
  const choices = own.map(({ id, title = id, owner }) => ({
    value: id,
    label: title,
    hint: isSameUser(owner, username) ? 'owned by you' : `owned by ${owner ?? '?'}`,
  }));
  const other = { value: '', label: 'Other group', hint: 'by ID' };
  const id = choices.length === 0 ? '' : await choose(question, [...choices, other], flag);
  return id === '' ? await askText('Group ID', flag) : id;
}

/** Checks both portals together, and counts the source's items that the target has already. */
async function compare(source: FoundEnd, target: FoundEnd, output: Output): Promise<void> {
  const results = await askGuards('pair', { source: source.facts, target: target.facts }, { run: 'sync' });
  output.note([guardTable(results)]);
  const { signal } = new AbortController();
  const itemsOf = ({ portal, end }: FoundEnd) => listGroup(portal, end.group?.id ?? '', signal);
  const [here, there] = await Promise.all([itemsOf(source), itemsOf(target)]);
  const both = [...here.keys()].filter((id) => there.has(id));
  output.note(
    `${countOf(here.size, 'item')} in the source group, ${both.length} already in the target group`,
  );
}
