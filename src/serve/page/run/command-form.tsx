import type { RunRecord } from '../../../model/run/run';
import { Command } from '../parts/command';

interface CommandFormProps {
  readonly record: RunRecord;
  readonly command: string;
  /** What the command does, a line each. */
  readonly deeds?: readonly string[];
}

/** A command that can be typed for a run, with what it does. */
export const CommandForm = ({ command, deeds = [] }: CommandFormProps) => (
  <div class="way">
    <Command text={command} />
    {deeds.length > 0 && (
      <ul class="plain fine">
        {deeds.map((deed) => (
          <li>{deed.trim()}</li>
        ))}
      </ul>
    )}
  </div>
);
