import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { Config } from '../../src/config/config';
import { Authority } from '../../src/domain/control/authority';
import { Control, openControl } from '../../src/domain/control/control';
import { Policy } from '../../src/domain/policy/policy';
import type { Identity, Signed } from '../../src/model/run/signature';
import type { Store } from '../../src/store/store';

export const testControl = new Control(Buffer.from('a control key that is long enough'));

/** For activities that are called without a worker, as the worker of a configuration has them. */
export const authorityOf = (config: Config, store: Store): Authority =>
  new Authority(() => openControl(config), new Policy(config, store), store);

/** Lets a start in whose run is then played by the test: its activities are called without a workflow. */
export async function letIn<Input extends { readonly runId: string }>(
  config: Config,
  store: Store,
  workflowType: string,
  input: Input,
): Promise<void> {
  const { runId: workflowId } = input;
  const signed = (await openControl(config)).signStart(workflowType, workflowId, input);
  // As it comes out of Temporal.
  const received = JSON.parse(JSON.stringify(signed)) as Input & Signed;
  await authorityOf(config, store).admitStart({
    workflowType,
    workflowId,
    execution: randomUUID(),
    input: received,
  });
}

/** An answer as a command of the configuration sends it. */
export const signed = async <Message extends object>(
  config: Config,
  { workflowId }: Pick<WorkflowHandle, 'workflowId'>,
  name: string,
  message: Message,
  identity?: Identity,
): Promise<Message & Signed> => (await openControl(config)).signAnswer(name, workflowId, message, identity);

/** The input of a run as a command of the configuration starts it. */
export const signedStart = async <Input extends { readonly runId: string }>(
  config: Config,
  workflowType: string,
  input: Input,
): Promise<Input & Signed> => (await openControl(config)).signStart(workflowType, input.runId, input);
