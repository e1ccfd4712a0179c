import { PortolanError } from '../../../model/errors/errors';
import type { PlanRow } from '../../../model/transfer/plan';
import { reasonOf, serviceReasonOf } from '../retry';
import type { Presence } from '../references/lookup';
import { ownerOf, itemIdInAddress, serviceAddress, serviceKey } from '../references/addresses';
import { type ItemDocuments, type Reference, referencesOf } from '../references/content';
import type { FindingsBuilder, VerifyContext } from './verification';

/**
 * Follows every reference of an item as it now stands on the target.
 *
 * - An address of the source is a finding.
 * - An item, a group or a service that the source resolves and the target does not is a finding.
 * - What neither holds is nobody's doing: external; unless the map of a stage leads there, which somebody has decided.
 *   An item that the map names and the target does not hold is a finding.
 */
export async function verifyReferences(
  context: VerifyContext,
  itemId: PlanRow['itemId'],
  content: ItemDocuments,
  sheet: FindingsBuilder,
): Promise<void> {
  const external = new Set<string>();
  let read = 0;
  for (const reference of referencesOf(content)) {
    if ((read += 1) > REFERENCES_MAX) {
      sheet.notChecked(`it has more than ${REFERENCES_MAX} references; only the first were checked`);
      return;
    }
    const { kind, path, value } = reference;
    if (kind === 'item' && value === itemId.toLowerCase()) continue;
    const outcome = await follow(context, reference);
    if (outcome === 'ignored') continue;
    sheet.followed(1);
    if (outcome === 'held') continue;
    const place = { path, value };
    if ('hint' in outcome) sheet.find(outcome.kind, { ...place, hint: outcome.hint });
    else if (outcome.kind === 'not-checked') sheet.notChecked(outcome.reason, place);
    else if (!external.has(value)) {
      external.add(value);
      sheet.external(outcome.reason, place);
    }
  }
}

/** Each may be asked of both portals: documents of people hold hundreds, and one that was made for it a million. */
export const REFERENCES_MAX = 10_000;

type Outcome =
  | 'held'
  | 'ignored'
  | { readonly kind: 'source-address' | 'broken-reference'; readonly hint: string }
  | { readonly kind: 'external' | 'not-checked'; readonly reason: string };

const notChecked = (reason: string): Outcome => ({ kind: 'not-checked', reason });
const broken = (hint: string): Outcome => ({ kind: 'broken-reference', hint });

const follow = (context: VerifyContext, reference: Reference): Promise<Outcome> =>
  reference.kind === 'url' ? followAddress(context, reference) : followId(context, reference);

async function followAddress(context: VerifyContext, reference: Reference): Promise<Outcome> {
  const { value, certain } = reference;
  const owner = ownerOf(value, context.addresses);
  if (owner !== 'target' && context.mapped?.holdsAddress(value)) return 'held';
  if (owner === 'source') return { kind: 'source-address', hint: hintForAddress(context, value) };
  if (owner === 'foreign') {
    return certain ? { kind: 'external', reason: 'an address on neither portal' } : 'ignored';
  }
  const itemId = itemIdInAddress(value);
  if (itemId !== undefined) return followId(context, { kind: 'item', value: itemId, certain: true });
  return serviceAddress(value) === undefined ? 'held' : followService(context, value);
}

function hintForAddress(context: VerifyContext, value: string): string {
  const { origin: source, target } = context;
  const service = serviceAddress(value);
  if (service === undefined) return `Replace the address of ${source.name} with that of ${target.name}.`;
  const itemId = context.sourceServices?.get(serviceKey(service.root) ?? '');
  if (itemId !== undefined && context.listed.has(itemId))
    return `The address of a hosted service on ${source.name}, which ${target.name} has too, was not rewritten. Set it on ${target.name}, or sync again with --overwrite.`;
  return /\/hosted\//i.test(service.root)
    ? `The address of a hosted service on ${source.name} was not rewritten. Share the service with the source group and sync again, or set the address on ${target.name}.`
    : `A service on ${source.name}'s own server is never exported. Publish it for ${target.name} and set its address.`;
}

async function followId(
  context: VerifyContext,
  { kind, value, certain }: Pick<Reference, 'kind' | 'value' | 'certain'>,
): Promise<Outcome> {
  const what = kind === 'group' ? 'group' : 'item';
  try {
    const there = await context.onTarget[what](value);
    if (there.state === 'there') return 'held';
    if (there.state === 'hidden')
      return notChecked(`${context.target.name} does not show the ${what} to this account`);
    if (what === 'item' && context.mapped?.holdsItem(value))
      return broken(
        `The map of the stage leads to this item, which is not on ${context.target.name}. Correct map.items.`,
      );
    const origin = await context.origin.has[what](value);
    if (origin.state === 'there') return broken(hintForMissing(context, what, origin));
    if (!certain) return 'ignored';
    return origin.state === 'hidden'
      ? notChecked(`${context.origin.name} does not show the ${what} to this account`)
      : { kind: 'external', reason: `neither portal has this ${what}` };
  } catch (thrown) {
    return notChecked(reasonOf(thrown));
  }
}

function hintForMissing(
  { origin: source, target }: VerifyContext,
  what: 'item' | 'group',
  origin: Extract<Presence, { state: 'there' }>,
): string {
  const title = origin.title === undefined ? `this ${what}` : `${origin.type ?? what} "${origin.title}"`;
  return what === 'group'
    ? `${source.name} has ${title} with this ID, but ${target.name} does not. Choose a group of ${target.name} in the app.`
    : `${source.name} has ${title}, but ${target.name} does not. Share it with the source group and sync again, or remove the reference.`;
}

/** An address that was rewritten to the target must answer there, if its like answers on the source. */
async function followService(context: VerifyContext, value: string): Promise<Outcome> {
  const root = withScheme(serviceAddress(value)?.root ?? value);
  if (speaksXml.test(root)) return notChecked('services of this kind do not return JSON');
  try {
    const there = await context.onTarget.service(root);
    if (there.state === 'there') return 'held';
    if (there.state === 'hidden')
      return notChecked(`the service refuses the account of ${context.target.name}`);
    if (await answersOnSource(context, root))
      return broken(
        `The service responds on ${context.origin.name} but not on ${context.target.name}. Share its item with the source group and sync again.`,
      );
    return { kind: 'external', reason: 'neither portal has this service' };
  } catch (thrown) {
    return notChecked(serviceReasonOf(thrown));
  }
}

const speaksXml = /\/(WFS|WMS|WMTS|Kml)Server$/i;

/** Documents may leave the scheme to the page that shows them. */
const withScheme = (address: string): string => (address.startsWith('//') ? `https:${address}` : address);

/**
 * Whether the source answers for the same path behind one of its addresses. Not all of them are servers: a
 * page in place of an answer says that this one is none.
 */
async function answersOnSource(
  { addresses, origin: { has } }: VerifyContext,
  root: string,
): Promise<boolean> {
  const match = /^(https?:\/\/)[^/]+(?:\/[^/]+)?(\/rest\/services\/.*)$/i.exec(root);
  if (match === null) return false;
  for (const address of addresses.source) {
    try {
      const there = await has.service(`${match[1] ?? ''}${address}${match[2] ?? ''}`);
      if (there.state !== 'absent') return true;
    } catch (thrown) {
      const { code } = PortolanError.from(thrown);
      if (code !== 'HTML_RESPONSE' && code !== 'BAD_RESPONSE') throw thrown;
    }
  }
  return false;
}
