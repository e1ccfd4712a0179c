import formatBytes from 'bytes';
import ms from 'ms';
import { configFile } from '../../../src/config/file/schema';
import { ANSWER_MAX } from '../../../src/client/server-line';
import { ALIASES_MAX } from '../../../src/config/yaml-value';
import { AHEAD_MS } from '../../../src/domain/control/control';
import { RECORD_MAX } from '../../../src/domain/run/run-record';
import { DOCUMENT_BYTES_MAX } from '../../../src/domain/transfer/references/item-content';
import { OF_ONE_ITEM_MAX } from '../../../src/domain/transfer/verify/kept-findings';
import { REFERENCES_MAX } from '../../../src/domain/transfer/verify/verify-references';
import {
  RETRY_AFTER_MAX_MS,
  TRANSFER_LEAST_RATE,
  TRANSFER_STALLS_MS,
} from '../../../src/model/errors/budgets';
import { WARNINGS_MAX } from '../../../src/model/run/warnings';
import { KEPT_MAX } from '../../../src/model/text/shortened';
import { ID_CHARACTERS_MAX } from '../../../src/portal/http/ids';
import {
  CONNECTIONS_MAX,
  ENTRIES_MAX,
  JSON_BYTES_MAX,
  JSON_DEPTH_MAX,
  JSON_VALUES_MAX,
  LISTING_CHARACTERS_MAX,
  LISTING_VALUES_MAX,
  PAGES_MAX,
  REDIRECTS_MAX,
  TOKEN_MINUTES,
  timeoutsFor,
} from '../../../src/portal/http/limits';
import { KEY_LENGTH_MIN } from '../../../src/secrets/key-source';
import { readPage } from '../pages';
import { table, writtenBy } from './table';

const HEADING = '## Bounds\n';

/** SECURITY.md, its section on bounds written anew and the rest as it is. */
export function securityPage(): string {
  const [before = '', after = ''] = readPage('SECURITY.md').split(HEADING);
  const rest = after.slice(after.search(/^## /m));
  const rows = table(['What', 'At most'], bounds());
  return `${before}${HEADING}\n${writtenBy('the constants of the code')}\n\n${rows}\n\n${rest}`;
}

const count = (value: number): string => value.toLocaleString('en-US');
const size = (value: number): string => formatBytes(value, { unitSeparator: ' ' }) ?? '';
const time = (value: number): string => ms(value, { long: true });

function bounds(): string[][] {
  const { limits, control } = configFile.parse({ portals: {} });
  const { connect, headers, body, call } = timeoutsFor();
  return [
    [
      "A portal's answer in JSON",
      `${size(JSON_BYTES_MAX)}, ${JSON_DEPTH_MAX} deep, ${count(JSON_VALUES_MAX)} values`,
    ],
    ['An answer of a `portolan serve` that is asked', size(ANSWER_MAX)],
    ['A list in an answer', `${count(ENTRIES_MAX)} entries`],
    [
      'A listing over all its pages',
      `${count(PAGES_MAX)} pages, ${count(LISTING_VALUES_MAX)} values, ${size(LISTING_CHARACTERS_MAX)}`,
    ],
    ['An id, or a name of a user', `${ID_CHARACTERS_MAX} characters`],
    ["What an item's JSON is read for", size(DOCUMENT_BYTES_MAX)],
    ['A package (`limits.packageBytes`)', size(limits.packageBytes)],
    ['An item, and its copy (`limits.itemBytes`)', size(limits.itemBytes)],
    ['Redirects in a row', count(REDIRECTS_MAX)],
    ['Requests to one portal at a time', count(CONNECTIONS_MAX)],
    ['Until a connection stands', time(connect)],
    [
      'Until an answer begins (`portals.NAME.timeout`), and between two pieces of it',
      `${time(headers)}, ${time(body)}`,
    ],
    ['A call in JSON from its first byte to its last', time(call)],
    ['A pause that a portal asks for', time(RETRY_AFTER_MAX_MS)],
    [
      'A transfer without progress, which is less than so much a second',
      `${time(TRANSFER_STALLS_MS)}, ${size(TRANSFER_LEAST_RATE)}`,
    ],
    ['A title, path or value of others that is kept', `${KEPT_MAX} characters`],
    [
      'Findings of one item, references that are followed of one',
      `${OF_ONE_ITEM_MAX}, ${count(REFERENCES_MAX)}`,
    ],
    ['Warnings of a run', count(WARNINGS_MAX)],
    ['The lists of a record before they are cut', `${count(RECORD_MAX)} bytes`],
    ['Aliases of a YAML file', count(ALIASES_MAX)],
    ["Life that is asked for a portal's token", time(TOKEN_MINUTES * 60_000)],
    ['Age of a signed start or answer (`control.maxAge`)', time(control.maxAge)],
    ['How far the clock of whoever signed may be ahead', time(AHEAD_MS)],
    ['Length of a key, at least', `${KEY_LENGTH_MIN} characters`],
  ];
}
