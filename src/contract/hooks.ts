import { z } from 'zod';
import { chatFormats, deliveryNote, notifyEvents } from '../model/run/notification';
import { operation } from './operation';

/** A call of a hook, as kept with the run and with the hook. */
export const callNote = z.object({
  at: z.iso.datetime(),
  runId: z.string().describe('the run it started'),
  sha256: z.string().describe('hash of the body'),
});

const anyHook = {
  name: z.string(),
  signed: z.boolean(),
  altered: z.string().optional().describe('which state file was altered, and so is not shown'),
};

/** A hook, or a receiver of notifications. */
const hookRow = z.discriminatedUnion('direction', [
  z.object({
    ...anyHook,
    direction: z.literal('in'),
    starts: z.string().describe('`sync ROUTE`, `promotion PIPELINE/STAGE` or `backup of ROUTE, RULE`'),
    last: callNote.optional().describe('the last call'),
  }),
  z.object({
    ...anyHook,
    direction: z.literal('out'),
    to: z.enum(['webhook', 'command', ...chatFormats]),
    on: z.array(z.enum(notifyEvents)).readonly(),
    last: deliveryNote.optional().describe('the last message sent'),
    open: z.array(deliveryNote).readonly().describe('messages that are retried'),
  }),
]);
export type HookRow = z.infer<typeof hookRow>;

/** Hooks and notification receivers: `portolan hook list|test`. */
export const hookOperations = {
  listHooks: operation({
    at: 'GET /hooks',
    summary: 'List hooks and notification receivers with the last result of each',
    input: z.strictObject({}),
    answer: z.array(hookRow),
    right: 'view',
    needs: 'store',
  }),
  testReceiver: operation({
    at: 'POST /hooks/:hook/test',
    summary: 'Send one message of the event "test" to a receiver',
    input: z.strictObject({ hook: z.string().min(1).max(200) }),
    answer: z.object({
      name: z.string(),
      delivered: z.boolean(),
      problem: z.string().optional().describe('why it was not delivered'),
    }),
    right: 'operate',
    needs: 'store',
  }),
};
