import { PortalPool } from '../../config/portal-pool';
import { inspectPortal, askGuards } from '../../domain/transfer/guards/guard-list';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import { PortolanError } from '../../model/errors/errors';
import type { GuardResult } from '../../model/run/run';
import type { Side } from '../../model/transfer/guard-steps';
import type { Portal } from '../../portal/client';
import { type Group, listGroup, readGroup, readOwnGroups } from '../../portal/resources/groups';
import { guardBlock } from '../run/render/guards';
import type { Output } from '../terminal/output';
import { askSecret, askText, choose } from '../terminal/prompts';
import { isSameUser } from '../../model/identity';
import { countOf, quoted } from '../../model/text/words';
import { newConfig, type NewEnd, passwordVariable, portalAddress, portalName } from './new-config';

/** Options for one end; the rest is prompted for. */
export interface GivenEnd {
  readonly url?: string;
  readonly username?: string;
  readonly password?: NewEnd['password'];
  /** ID of any group, or title of a group the account owns or is a member of. */
  readonly group?: string;
}

/** Options to use if no one can be asked. */
const flags = {
  source: { url: '--from URL', username: '--user NAME', group: '--group GROUP' },
  target: { url: '--to URL', username: '--user NAME', group: '--into GROUP' },
} as const;

const questions = {
  source: { url: 'Source portal URL', group: 'Source group' },
  target: { url: 'Target portal URL', group: 'Target group' },
} as const;

/** Signs in to both ends of a first route and finds their groups, without a write, and prompts for missing options. */
export class FirstRoute {
  private readonly pools: PortalPool[] = [];
  private readonly ends: { readonly end: NewEnd; readonly facts: PortalFacts; readonly portal: Portal }[] =
    [];

  constructor(
    private readonly file: string,
    private readonly output: Output,
  ) {}

  async close(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.close()));
  }

  /** Throws `USAGE` if an option is missing and no one can be asked, and errors of the portal. */
  async end(side: Side, given: GivenEnd): Promise<NewEnd> {
    const url = portalAddress(given.url ?? (await askText(questions[side].url, flags[side].url)));
    const name = portalName(url, side);
    const taken = this.ends.some(({ end }) => end.portal === name);
    const portalIs = taken ? side : name;
    const username = given.username ?? (await askText('Username', flags[side].username));
    const password = given.password ?? { env: passwordVariable(portalIs) };
    if ('env' in password && !process.env[password.env])
      // Used for this sign-in only.
      process.env[password.env] = await askSecret(
        `Password of ${username} (later commands read ${password.env})`,
        `export ${password.env}=..., or --password file:PATH`,
      );
    const signedIn = await this.signIn(side, { portal: portalIs, url, username, password });
    const group = await this.group(side, signedIn.portal, signedIn.facts, given.group);
    const end = { portal: portalIs, url, username, password, group };
    this.ends.push({ ...signedIn, end });
    return end;
  }

  /** Checks both portals together, and counts the source's items that the target has already. */
  async compare(): Promise<readonly GuardResult[]> {
    const [source, target] = this.ends;
    if (source === undefined || target === undefined) return [];
    const results = await askGuards('pair', { source: source.facts, target: target.facts }, { run: 'sync' });
    this.output.note(guardBlock(results, this.output.side));
    const signal = new AbortController().signal;
    const [here, there] = await Promise.all(
      [source, target].map(({ portal, end }) => listGroup(portal, end.group?.id ?? '', signal)),
    );
    const both = [...(here?.keys() ?? [])].filter((id) => there?.has(id));
    this.output.note(
      `${countOf(here?.size ?? 0, 'item')} in the source group, ${both.length} already in the target group`,
    );
    return results;
  }

  private async signIn(side: Side, end: NewEnd): Promise<{ portal: Portal; facts: PortalFacts }> {
    const pool = new PortalPool(newConfig(this.file, [end]));
    this.pools.push(pool);
    const portal = pool.open(end.portal);
    const { facts, results } = await inspectPortal(portal, side);
    this.output.note(`${end.portal}: ${facts.version || 'version unknown'}, signed in as ${facts.username}`);
    const open = results.filter(({ verdict }) => verdict !== 'pass');
    if (open.length > 0) this.output.note(guardBlock(open, this.output.side));
    return { portal, facts };
  }

  private async group(
    side: Side,
    portal: Portal,
    { username }: PortalFacts,
    given: string | undefined,
  ): Promise<NewEnd['group']> {
    const own = await readOwnGroups(portal);
    const meant = given ?? (await this.chosen(side, own, username));
    const titled = own.filter(({ title }) => title === meant);
    if (titled.length > 1)
      throw new PortolanError('USAGE', `${portal.name} has ${titled.length} groups ${quoted(meant)}.`, {
        hint: `Choose one by its ID: ${titled.map(({ id }) => id).join(', ')}`,
      });
    const { id, title } =
      titled[0] ?? own.find((group) => group.id === meant) ?? (await this.read(portal, meant, own));
    return { id, title };
  }

  private async chosen(side: Side, own: readonly Group[], username?: string): Promise<string> {
    const choices = own.map(({ id, title = id, owner }) => ({
      value: id,
      label: title,
      hint: isSameUser(owner, username) ? 'owned by you' : `owned by ${owner ?? '?'}`,
    }));
    const other = { value: '', label: 'Other group', hint: 'by ID' };
    const id =
      choices.length === 0 ? '' : await choose(questions[side].group, [...choices, other], flags[side].group);
    return id === '' ? await askText('Group ID', flags[side].group) : id;
  }

  /** A group the account does not own and is not in: administrators can use it too. */
  private async read(portal: Portal, text: string, own: readonly Group[]): Promise<Group> {
    const known = own.map(({ title = '?' }) => quoted(title)).join(', ') || 'none';
    const hint = `The groups of the account are ${known}. Name one by its title, or any by its id.`;
    if (!/^[A-Za-z0-9_-]+$/.test(text))
      throw new PortolanError(
        'GROUP_NOT_FOUND',
        `${portal.name} has no group ${quoted(text)} for this account.`,
        {
          hint,
        },
      );
    try {
      return await readGroup(portal, text);
    } catch (thrown) {
      throw PortolanError.from(thrown).with({ hint });
    }
  }
}
