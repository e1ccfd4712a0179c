import { Context } from '@temporalio/activity';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { webhookId } from '../../domain/hook/signatures';
import { type Delivery, deliveryWorkflow, pauseAfter } from '../../model/hook/delivery';
import type { ActivityDeps } from '../deps';

/** Starts a workflow that delivers one message, so that no run waits for a slow receiver. */
export async function beginDelivery(
  { config, openControl }: ActivityDeps,
  delivery: Delivery,
): Promise<void> {
  const workflowId = `${deliveryWorkflow}-${webhookId(delivery.message.id)}-${delivery.receiver}`;
  const { client } = Context.current();
  try {
    await client.workflow.start(deliveryWorkflow, {
      workflowId,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      taskQueue: config.temporal.taskQueue,
      args: [(await openControl()).signStart(deliveryWorkflow, workflowId, delivery)],
      startDelay: pauseAfter(delivery.tried),
      staticSummary: `"${delivery.message.event}" to ${delivery.receiver}`,
    });
  } catch (thrown) {
    // An earlier attempt has already started it.
    if (!(thrown instanceof WorkflowExecutionAlreadyStartedError)) throw thrown;
  }
}
