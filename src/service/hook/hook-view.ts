import { z } from 'zod';
import { deliveryNote, notifyEvents } from '../../model/run/notification';

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
export const hookRow = z.discriminatedUnion('direction', [
  z.object({
    ...anyHook,
    direction: z.literal('in'),
    starts: z.string().describe('`sync ROUTE` or `promotion PIPELINE/STAGE`'),
    last: callNote.optional().describe('the last call'),
  }),
  z.object({
    ...anyHook,
    direction: z.literal('out'),
    to: z.enum(['webhook', 'command']),
    on: z.array(z.enum(notifyEvents)).readonly(),
    last: deliveryNote.optional().describe('the last message sent'),
    open: z.array(deliveryNote).readonly().describe('messages that are retried'),
  }),
]);
export type HookRow = z.infer<typeof hookRow>;

/** Result of a test message. */
export const deliveredTest = z.object({
  name: z.string(),
  delivered: z.boolean(),
  problem: z.string().optional().describe('why it was not delivered'),
});

/** The same, or for a hook, a signed call as a shell command. */
export type HookTest =
  Readonly<z.infer<typeof deliveredTest>> | { readonly name: string; readonly call: string };
