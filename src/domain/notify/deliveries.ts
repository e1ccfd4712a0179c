import { type DeliveryNote, deliveryNote } from '../../model/run/notification';
import { webhookId } from '../hook/signatures';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';

/** Delivery state of a receiver. */
export interface DeliveriesOf {
  /** The last message. */
  readonly last?: DeliveryNote;
  /** Pending messages. */
  readonly open: readonly DeliveryNote[];
}

/** Delivery states for people: the last message, and pending ones. */
export class Deliveries {
  constructor(private readonly store: Store) {}

  /** A failing store costs only this display, not the message. @param messageId as the message has it */
  async note(receiver: string, messageId: string, note: DeliveryNote): Promise<void> {
    const open = keys.openDelivery(receiver, webhookId(messageId));
    try {
      if (note.status === 'open') await this.store.writeJson(open, note);
      else await this.store.remove(open);
      await this.store.writeJson(keys.lastDelivery(receiver), note);
    } catch {
      // It is known to the receiver, or to Temporal.
    }
  }

  async of(receiver: string): Promise<DeliveriesOf> {
    const last = await this.store.readJson(keys.lastDelivery(receiver), deliveryNote);
    const open: DeliveryNote[] = [];
    for await (const key of this.store.list(keys.openDeliveries(receiver))) {
      const note = await this.store.readJson(key, deliveryNote);
      if (note) open.push(note);
    }
    return { ...(last && { last }), open };
  }
}
