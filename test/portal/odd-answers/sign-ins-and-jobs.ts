import { body, error, type OddAnswer } from './odd-answer';

/** Answers to a sign-in. docs/reference/portal-interface.md, "Sign-in" */
export const signIns: readonly OddAnswer[] = [
  {
    came: 'a sign-in that is refused',
    reply: error({
      code: 400,
      message: 'Unable to generate token.',
      details: ['Invalid username or password.'],
    }),
    code: 'CREDENTIALS_REFUSED',
    says: 'staging refused the sign-in: Unable to generate token. (***) Invalid username or password.',
  },
  {
    came: 'a sign-in after too many wrong ones',
    reply: error({ code: 400, message: 'Too many invalid login attempts.' }),
    code: 'CREDENTIALS_REFUSED',
    says: 'Too many invalid login attempts.',
    hint: 'The portal has locked the account for a while. Wait before you try again.',
  },
  {
    came: '`{"error": "invalid_client"}` in a 200',
    reply: body({ error: 'invalid_client', error_description: 'No such client TOKEN.' }),
    code: 'CREDENTIALS_REFUSED',
    says: 'No such client ***.',
  },
  {
    came: 'a sign-in that is answered without a token',
    reply: body({ expires: 1 }),
    code: 'BAD_RESPONSE',
    says: 'returned no token for the sign-in',
  },
];

/** Answers to a poll of a job. docs/reference/portal-interface.md, "Jobs" */
export const jobs: readonly OddAnswer[] = [
  {
    came: 'a job that is `failed`, with messages',
    reply: body({ id: 'j', status: 'failed', messages: ['Started.', 'The package is damaged (TOKEN).'] }),
    code: 'JOB_FAILED',
    says: 'ended the import job as "failed"',
  },
  // Words of Windows below a portal, as Java passes them on, seen of other servers; those of portals are not known
  ...['There is not enough space on the disk', 'The disk is full', 'Insufficient storage space'].map(
    (said): OddAnswer => ({
      came: `a job that is \`failed\`: ${said}`,
      reply: body({ id: 'j', status: 'failed', messages: [`${said} (TOKEN)`] }),
      code: 'DISK_FULL',
      says: 'ended the import job as "failed"',
      hint: "The portal's disk is full. Free space in its content store, then resume or restart the run.",
    }),
  ),
  {
    // _assumed_: no source has the words
    came: 'an export that is `failed` since its package is too large',
    on: ['exportPoll'],
    reply: body({
      id: 'j',
      status: 'failed',
      messages: ['Started.', 'The export package exceeds the limit of 5368709120 bytes (TOKEN).'],
    }),
    code: 'PACKAGE_TOO_LARGE',
    says: 'ended the export job as "failed"',
    hint: 'The portal refuses a package this large. Set limits.packageBytes to what it accepts.',
  },
  {
    // An import has its items told apart by a search, whatever it met
    came: 'an import that is `failed` since its package is too large',
    reply: body({ id: 'j', status: 'failed', messages: ['The package is larger than 5 GB (TOKEN).'] }),
    code: 'JOB_FAILED',
    says: 'ended the import job as "failed"',
    hint: 'The portal refuses a package this large. Set limits.packageBytes to what it accepts.',
  },
  {
    came: 'a poll that a portal without room cannot answer',
    reply: error({ code: 500, message: 'No space left on device' }),
    code: 'JOB_DEADLINE',
    says: 'is still "unread"',
  },
  {
    came: 'a job that is `failed`, without a message',
    reply: body({ id: 'j', status: 'failed', messages: null }),
    code: 'JOB_FAILED',
    says: 'ended the import job as "failed"',
  },
  {
    came: 'a job that is `TimedOut`',
    reply: body({ id: 'j', status: 'TimedOut' }),
    code: 'JOB_FAILED',
    says: 'ended the import job as "TimedOut"',
  },
  {
    came: 'a word for a job that nobody knows, such as `esriJobFailed`, until its deadline',
    reply: body({ id: 'j', status: 'esriJobFailed' }),
    code: 'JOB_DEADLINE',
    says: 'is still "esriJobFailed"',
  },
  {
    came: 'a job without a word, until its deadline',
    reply: body({ id: 'j' }),
    code: 'JOB_DEADLINE',
    says: 'is still ""',
  },
  {
    came: 'a job that the portal does not know',
    made: async (site) => {
      const reply = error({ code: 404, message: 'Job does not exist or is inaccessible.' });
      return (await site.portal({ 'portals/p/jobs/j': reply, 'portals/self/jobs/j': reply })).client();
    },
    code: 'JOB_LOST',
    says: 'Job does not exist',
  },
  {
    came: 'a job that this account may not look at',
    reply: error({ code: 403, message: 'You do not have permissions.' }),
    code: 'PERMISSION_DENIED',
    says: 'You do not have permissions.',
  },
  {
    came: 'an export that is answered with neither job, lists nor package',
    on: ['write'],
    reply: body({ success: true }),
    code: 'BAD_RESPONSE',
    says: 'without a job, lists or a package',
  },
];
