import { type DeliveryNote, deliveryNote } from '../../model/hook/delivery';
import { webhookId } from '../hook/signatures';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';

/** What is known of the messages to a receiver. */
export interface DeliveriesOf {
  /** The message that was last sent to it. */
  readonly last?: DeliveryNote;
  /** Messages that are sent again. */
  readonly open: readonly DeliveryNote[];
}

/** What became of messages to receivers, for people: the last one, and those that have not arrived yet. */
export class Deliveries {
  constructor(private readonly store: Store) {}

  /** A store that cannot take it now costs what people see of it, and no message. @param messageId as the message has it */
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
