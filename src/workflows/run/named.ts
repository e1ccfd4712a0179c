import { workflowInfo } from '@temporalio/workflow';
import type { RunInput, Unnamed } from '../../model/run/run-input';

/** What a schedule starts is called as Temporal calls it. */
export const named = <Input extends RunInput>(input: Input | Unnamed<Input>): Input =>
  ({ ...input, runId: input.runId ?? workflowInfo().workflowId }) as Input;
