import { errorOf } from '../../support/error-of';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import type { Server } from 'node:net';
import { toFailure } from '../../../src/activities/attempt/failure';
import { type ErrorCode, meaningOf } from '../../../src/model/errors/error-codes';
import { Portal } from '../../../src/portal/client';
import { readItem } from '../../../src/portal/resources/items/items';
import { PROXY_PASSWORD } from '../odd-answers/connections';
import { calls, SIGNATURE, type Site } from '../odd-answers/odd-answer';
import { oddAnswers } from '../odd-answers/odd-answers';
import { JOB_KEY, placeOf } from '../odd-answers/places';
import { freeServerPort } from '../../support/free-port';
import { close, listen } from '../../support/listening';
import { PASSWORD, RawPortal } from '../raw-portal';

const READY_TOKEN = 'ready-made-not-to-be-seen';
const secrets = [PASSWORD, PROXY_PASSWORD, READY_TOKEN, SIGNATURE, JOB_KEY, 'token-not-to-be-seen'];

const endings: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(endings.splice(0).map((end) => end())));

const site: Site = {
  async portal(replies, tls) {
    const portal = await RawPortal.start(replies, tls);
    endings.push(() => portal.stop());
    return portal;
  },
  client(url, options = {}) {
    const auth = { type: 'token', secret: () => Promise.resolve(READY_TOKEN) } as const;
    const portal = new Portal({ name: 'staging', url, auth, ...options });
    endings.push(() => portal.close());
    return portal;
  },
  listen(server: Server) {
    endings.push(() => close(server));
    return listen(server);
  },
  deafPort: freeServerPort,
};

const rows = oddAnswers.flatMap((answer) =>
  (answer.on ?? calls).map((name) => ({ ...answer, name, place: placeOf(name), title: placeOf(name).title })),
);

const refused = { kind: 'transient', begun: 'no', exit: 1 } as const;
const lost = { ...refused, begun: 'maybe' } as const;
const unclear = { ...lost, kind: 'unknown' } as const;
const forGood = { kind: 'permanent', begun: 'no', exit: 1 } as const;
const [denied, absent] = [12, 10].map((exit) => ({ ...forGood, exit }));

/** Whether a call that ended so is made again, and whether the portal may have begun it. */
const meanings: Partial<Record<ErrorCode, object>> = {
  ANSWER_TOO_LARGE: { ...forGood, begun: 'maybe' },
  BAD_REQUEST: forGood,
  BAD_RESPONSE: unclear,
  CONNECTION_LOST: lost,
  CONNECTION_REFUSED: refused,
  CREDENTIALS_REFUSED: denied,
  DISK_FULL: forGood,
  DNS_FAILED: refused,
  GROUP_NOT_FOUND: absent,
  HTML_RESPONSE: lost,
  INSECURE_URL: { ...forGood, exit: 2 },
  ITEM_NOT_FOUND: absent,
  JOB_DEADLINE: forGood,
  JOB_FAILED: forGood,
  JOB_LOST: forGood,
  PACKAGE_TOO_LARGE: forGood,
  PERMISSION_DENIED: denied,
  RATE_LIMITED: refused,
  REDIRECT_LOOP: forGood,
  RESPONSE_CUT: lost,
  SERVER_ERROR: unclear,
  TIMEOUT: lost,
  TLS_FAILED: forGood,
  TOKEN_REFUSED: denied,
  UNAVAILABLE: lost,
  WRONG_LENGTH: lost,
};

/** A person is told what to do, in a sentence that begins and ends as one. */
const sentence = /^[A-Z`].{15,}[a-z\d)].?$/;

describe('an odd answer', () => {
  it.each(rows)('has a code, a hint and no secret: $came, to $title', async (row) => {
    const { place, reply, made } = row;
    const portal = made
      ? await made(site)
      : (await site.portal(reply ? { [place.path]: reply } : {})).client();
    // The limit is that of the call, not of a sign-in before it.
    if (row.timeoutMs !== undefined && row.name !== 'signIn')
      await readItem(portal, 'i0').catch(() => undefined);
    const error = await errorOf(
      place.call(portal, row.timeoutMs === undefined ? {} : { timeoutMs: row.timeoutMs }),
    );

    expect(error).toMatchObject({ code: row.code, plainMessage: expect.stringContaining(row.says) });
    expect(error.meaning).toMatchObject(meanings[row.code]!);
    expect(error.hint).toBe(row.hint ?? meaningOf(row.code).hint);
    expect(error.hint).toMatch(sentence);
    expect(error.facts.portal).toBe('staging');

    const failure = toFailure(error);
    expect(failure).toMatchObject({
      type: row.code,
      nonRetryable: error.meaning.kind === 'permanent',
      nextRetryDelay: row.pauseMs,
    });

    const told = JSON.stringify([
      error.message,
      error.facts,
      String(error.cause),
      failure.message,
      failure instanceof ApplicationFailure ? failure.details : [],
    ]);
    expect(secrets.filter((secret) => told.includes(secret))).toEqual([]);
  });
});
