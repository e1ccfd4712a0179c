import formatBytes from 'bytes';
import ms from 'ms';
import { ANSWER_MAX } from '../../../src/client/server-connection';
import { FIELDS_MAX } from '../../../src/domain/change/compare-content';
import { FILE_BYTES_MAX, RESOURCE_BYTES_MAX } from '../../../src/domain/change/item-content';
import { AHEAD_MS } from '../../../src/domain/control/control';
import { RECORD_MAX } from '../../../src/domain/run/run-record';
import { DOCUMENT_BYTES_MAX } from '../../../src/domain/transfer/references/content';
import { OF_ONE_ITEM_MAX } from '../../../src/domain/transfer/verify/verification';
import { REFERENCES_MAX } from '../../../src/domain/transfer/verify/verify-references';
import { WARNINGS_MAX } from '../../../src/model/run/run-state';
import { MAX_TEXT_LENGTH } from '../../../src/model/text/plain-text';
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
  TOKEN_MINUTES,
} from '../../../src/portal/http/limits';
import { KEY_LENGTH_MIN } from '../../../src/secrets/secret';
import { table } from './table';

const count = (value: number) => value.toLocaleString('en-US');
const size = (value: number) => formatBytes(value, { unitSeparator: ' ' }) ?? '';
const time = (value: number) => ms(value, { long: true });

/** Limits that no setting changes. */
const limits: readonly (readonly [what: string, limit: string])[] = [
  [
    'JSON response of a portal',
    `${size(JSON_BYTES_MAX)}, ${JSON_DEPTH_MAX} levels, ${count(JSON_VALUES_MAX)} values`,
  ],
  ['JSON response of `portolan serve`', size(ANSWER_MAX)],
  ['List in a response', `${count(ENTRIES_MAX)} entries`],
  [
    'Listing, all pages',
    `${count(PAGES_MAX)} pages, ${count(LISTING_VALUES_MAX)} values, ${size(LISTING_CHARACTERS_MAX)}`,
  ],
  ['ID or user name', `${ID_CHARACTERS_MAX} characters`],
  ['Item JSON compared or searched for references', size(DOCUMENT_BYTES_MAX)],
  ['File compared with another', size(FILE_BYTES_MAX)],
  ['Resources of an item that are compared', size(RESOURCE_BYTES_MAX)],
  ['Changed fields shown per item', count(FIELDS_MAX)],
  ['Concurrent requests to a portal', count(CONNECTIONS_MAX)],
  ['Title, path or other text from outside', `${MAX_TEXT_LENGTH} characters`],
  ['Findings per item', count(OF_ONE_ITEM_MAX)],
  ['References per item', count(REFERENCES_MAX)],
  ['Warnings per run', count(WARNINGS_MAX)],
  ['Lists in a run record', `${count(RECORD_MAX)} bytes`],
  ['Requested lifetime of a portal token', time(TOKEN_MINUTES * 60_000)],
  ['Clock skew of a signed start or decision', time(AHEAD_MS)],
  ['`store.key`, `store.encryption.key`, `control.key`', `at least ${KEY_LENGTH_MIN} characters`],
];

export const limitsSection = (): string =>
  `## Fixed limits\n\nNo setting changes these. Timeouts and retries: see [errors](errors.md).\n\n${table(['What', 'Limit'], limits)}`;
