import { mapLimited } from '../../model/map-limited';
import { type DeliveryNote, deliveryNote } from '../../model/run/notification';
import { webhookId } from '../hook/signatures';
import { readUnaltered } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import { keysUnder, type Store, STORE_READS_AT_A_TIME } from '../../store/store';

/** Delivery state of a receiver, for people. */
interface DeliveriesOf {
  /** The last message. */
  readonly last?: DeliveryNote;
  /** Pending messages. */
  readonly open: readonly DeliveryNote[];
  /** What of it was altered, and so is not shown. */
  readonly altered?: string;
}

/** A failing store costs only the display, not the message. @param messageId as the message has it */
export async function noteDelivery(
  store: Store,
  receiver: string,
  messageId: string,
  note: DeliveryNote,
): Promise<void> {
  const open = keys.openDelivery(receiver, webhookId(messageId));
  try {
    if (note.status === 'open') await store.writeJson(open, note);
    else await store.remove(open);
    await store.writeJson(keys.lastDelivery(receiver), note);
  } catch {
    // It is known to the receiver, or to Temporal.
  }
}

export async function readDeliveries(store: Store, receiver: string): Promise<DeliveriesOf> {
  const { value: last, why } = await readUnaltered(store, keys.lastDelivery(receiver), deliveryNote);
  const open = await keysUnder(store, keys.openDeliveries(receiver));
  const pending = await mapLimited(open, STORE_READS_AT_A_TIME, (key) =>
    readUnaltered(store, key, deliveryNote),
  );
  const altered = why ?? pending.find((each) => each.why !== undefined)?.why;
  return {
    ...(last && { last }),
    open: pending.flatMap(({ value }) => value ?? []),
    ...(altered !== undefined && { altered }),
  };
}
