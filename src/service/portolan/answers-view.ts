/** Title of the problem if no item is left to retry. */
export const NOTHING_TO_RETRY = 'NOTHING_TO_RETRY';

/** Request IDs that fit in the header `Idempotency-Key`; others go into the query. */
export const HEADER_KEY = /^[\x21-\x7e]{1,200}$/;
