import type { Harm } from '../harness/harmed';
import type { Replies } from '../harness/wire';
import { filled, forEver, text, trickle } from './replies';
import { copied, plant } from './seeds';

const listing = /^content\/groups\//;
/** Of an item that no seed has. */
const packageData = /^content\/items\/(?!a10{8}|cd0{8})[0-9a-f]{32}\/data/;
const MB = 1024 ** 2;

const hex = (number: number): string => `bad${number.toString(16).padStart(29, '0')}`;

/** A page of a listing of a hundred items, 2 MB long, that is never the last. @param beside what each has besides, as JSON */
const endless = (beside: string) =>
  function* (start: number): Generator<string> {
    yield `{"total":-1,"start":${start},"num":100,"nextStart":${start + 100},"items":[`;
    for (let at = start; at < start + 100; at += 1)
      yield `${at === start ? '' : ','}{"id":"${hex(at)}","title":"Item ${at}","type":"CSV",${beside}}`;
    yield ']}';
  };

const pages = (page: (start: number) => Iterable<string>): Replies => [
  [
    listing,
    (request, response) => {
      const start = Number(new URL(request.url ?? '', 'http://portal').searchParams.get('start') ?? 1);
      text(() => page(start))(request, response);
    },
  ],
];

export const harms: readonly Harm[] = [
  {
    what: 'a listing of 12 MB of noughts',
    replies: [
      [
        listing,
        text(function* () {
          yield '{"items":[0';
          yield* filled(',0', 6 * MB);
          yield ']}';
        }),
      ],
    ],
    ends: 'failed',
    code: 'ANSWER_TOO_LARGE',
    says: /\d+ values \(limit 1000000\)/,
  },
  {
    what: 'a listing of 2 MB of words a page, without end',
    replies: pages(endless(`"description":"${'d'.repeat(20_000)}"`)),
    ends: 'failed',
    code: 'ANSWER_TOO_LARGE',
    says: /pages of more than \d+ (characters|values) in total/,
  },
  {
    what: 'a listing of 2 MB of numbers a page, without end',
    replies: pages(endless(`"properties":[0${',0'.repeat(9_990)}]`)),
    ends: 'failed',
    code: 'ANSWER_TOO_LARGE',
    says: /pages of more than \d+ (characters|values) in total/,
  },
  {
    what: 'a listing of 2 MB of key words a page, without end',
    replies: pages(endless(`"typeKeywords":["k"${',"k"'.repeat(4_990)}]`)),
    ends: 'failed',
    code: 'ANSWER_TOO_LARGE',
    says: /pages of more than \d+ (characters|values) in total/,
  },
  {
    what: 'an answer without end',
    replies: [[listing, text(() => forEver('{"items":[0,'))]],
    ends: 'failed',
    code: 'ANSWER_TOO_LARGE',
    says: /more than 16777216 bytes/,
  },
  {
    what: 'an answer that is nested 24,000 deep',
    replies: [
      [
        listing,
        text(function* () {
          yield* filled('{"items":[', 12_000);
          yield* filled(']}', 12_000);
        }),
      ],
    ],
    ends: 'failed',
    code: 'ANSWER_TOO_LARGE',
    says: /JSON nested 24000 levels deep \(limit 100\)/,
  },
  {
    what: 'a page of 120,000 titles in place of an answer',
    replies: [[listing, text(() => filled('<title', 120_000), 403, 'text/html')]],
    ends: 'failed',
    code: 'PERMISSION_DENIED',
  },
  {
    what: 'an error of 100,000 beginnings of addresses',
    replies: [
      [
        listing,
        text(function* () {
          yield '{"error":{"code":400,"message":"';
          yield* filled('http://', 100_000);
          yield '"}}';
        }),
      ],
    ],
    ends: 'failed',
    code: 'BAD_REQUEST',
  },
  {
    what: 'a package without end',
    replies: [[packageData, text(() => forEver('x'), 200, 'application/octet-stream')]],
    ends: 'failed',
    code: 'PACKAGE_TOO_LARGE',
    says: /\d+ bytes \(limit \d+\)/,
  },
  {
    what: 'an item without end where a copy is taken',
    replies: [
      [
        new RegExp(`^content/items/${copied}/data`),
        text(() => forEver('x'), 200, 'application/octet-stream'),
      ],
    ],
    side: 'target',
    ends: 'parked',
    code: 'ITEM_TOO_LARGE',
    says: /more than the \d+ bytes of limits\.itemBytes/,
  },
  ...Object.entries(plant).map(([what, furnish]): Harm => ({
    what,
    furnish,
    replies: [],
    ends: 'succeeded',
  })),
];

/** What takes as long as it is borne: half an hour of failing reads, ten minutes of a transfer without progress. */
export const slowHarms: readonly Harm[] = [
  {
    what: 'an answer of a byte a second',
    replies: [[listing, trickle('{"items":[', ' ')]],
    ends: 'failed',
    code: 'TIMEOUT',
    says: /retried for \d+ minutes/,
  },
  {
    what: 'a package of a byte a second',
    replies: [[packageData, trickle('P'.repeat(2_000), 'x', { 'content-type': 'application/octet-stream' })]],
    ends: 'failed',
    code: 'TRANSFER_STALLED',
    says: /\d+ bytes in \d+ minutes.*slower than/,
  },
];
